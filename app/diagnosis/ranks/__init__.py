"""Rules about ranks, a row of all of them at a time; numbers are shared with app/series/ranks, which sees a grid."""
