"""``python -m app.diagnosis.rulebook``: the table."""

from app.diagnosis.rulebook.table import table

if __name__ == "__main__":
    print(table())
