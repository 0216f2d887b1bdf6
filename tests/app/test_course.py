"""What all pages of a run are told alike, and what a page is told on its own until it is where the others are."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from app.api.course import Course, Parcel
from app.api.mailbox import Mailbox
from app.api.stream import Page
from app.store import RedisRunStore
from app.stored import StoredRun
from tests.support.seed import RUN, Seed, straight
from tests.support.waiting import eventually


@pytest.fixture
def seed(seed: Seed) -> Seed:
    """A run of three steps."""
    seed.points(straight(range(1, 4)))
    return seed


def stored(store: RedisRunStore) -> StoredRun:
    run = store.run(RUN)
    assert run is not None
    return run


def go_on(course: Course, store: RedisRunStore) -> Parcel:
    """Everything that is new to the course, in one parcel."""
    entries = store.live_after(RUN, course.position)
    assert entries
    return course.advance(entries)


def said(events: Iterator[bytes], box: Mailbox[Parcel], *parcels: Parcel) -> bytes:
    box.put(parcels)
    return next(events)


def test_pages_that_are_level_are_sent_the_very_same_bytes(store: RedisRunStore, seed: Seed) -> None:
    course, boxes = Course(store, stored(store)), [Mailbox[Parcel]() for _ in range(2)]
    pages = [Page(store, stored(store), None).events(box) for box in boxes]
    for page in pages:
        next(page)
    seed.points([(4, 4.0, 4.0)])
    parcel = go_on(course, store)
    assert b'"loss":[[4,' in parcel.event
    assert all(said(page, box, parcel) == parcel.event for page, box in zip(pages, boxes, strict=True))


def test_a_page_that_is_ahead_of_the_others_is_told_no_step_twice(store: RedisRunStore, seed: Seed) -> None:
    course, box, start = Course(store, stored(store)), Mailbox[Parcel](), stored(store).position
    seed.points([(4, 4.0, 4.0)])
    events = Page(store, stored(store), start).events(box)
    assert b'"loss":[[4,' in next(events)
    seed.points([(5, 5.0, 5.0)])
    between = said(events, box, go_on(course, store))  # steps 4 and 5, of which the page has the first
    assert b'"loss":[[5,5.0,5.0,"log"]]' in between
    seed.points([(6, 6.0, 6.0)])
    parcel = go_on(course, store)
    assert said(events, box, parcel) == parcel.event


def test_a_parcel_of_what_a_page_has_already_is_a_sign_of_life(store: RedisRunStore, seed: Seed) -> None:
    course, box, start = Course(store, stored(store)), Mailbox[Parcel](), stored(store).position
    seed.points([(4, 4.0, 4.0)])
    events = Page(store, stored(store), start).events(box)
    next(events)
    assert said(events, box, go_on(course, store)).startswith(b": keep-alive\nid: ")


def test_parcels_that_waited_are_sent_together(store: RedisRunStore, seed: Seed) -> None:
    course, box = Course(store, stored(store)), Mailbox[Parcel]()
    events = Page(store, stored(store), None).events(box)
    next(events)
    parcels = [go_on(course, store) for step in (4, 5) if seed.points([(step, 4.0, 4.0)])]
    assert said(events, box, *parcels) == parcels[0].event + parcels[1].event


def test_a_position_of_the_future_is_given_up_for_the_newest_there_is(store: RedisRunStore, seed: Seed) -> None:
    course, box = Course(store, stored(store)), Mailbox[Parcel]()
    events = Page(store, stored(store), "9999999999999-0").events(box)
    newest = stored(store).position.encode()
    assert next(events).count(b"id: " + newest) == 2  # ready and reload
    seed.points([(4, 4.0, 4.0)])
    assert b'"loss":[[4,' in said(events, box, go_on(course, store))


def test_reloads_are_a_second_apart_and_none_is_forgotten(store: RedisRunStore, seed: Seed) -> None:
    course = Course(store, stored(store))
    assert course.patience == math.inf
    seed.points(straight(range(4, 3000)))
    assert go_on(course, store).reload
    seed.points(straight(range(3000, 6000)))
    put_off = go_on(course, store)
    assert (put_off.reload, put_off.event.startswith(b": keep-alive")) == (False, True)
    assert 0 < course.patience <= 1
    eventually(lambda: course.patience == 0)
    assert course.advance([]).reload
    assert course.patience == math.inf


def test_what_a_page_finds_stored_corrects_what_the_others_are_told(store: RedisRunStore, seed: Seed) -> None:
    seed.points(straight(range(1, 4)), file="log/rank_7/info.log", rank=7)
    course = Course(store, stored(store))
    course.hear(stored(store))
    seed.points([(4, 4.0, 4.0)], file="log/rank_7/info.log", rank=7)
    assert b'"loss":[[4,' in go_on(course, store).event
    Seed(seed.client, facts={"zero_bubble_v": "true"})  # from now on rank 0 speaks for the run
    course.hear(stored(store))
    seed.points([(5, 5.0, 5.0)])
    assert go_on(course, store).reload
    seed.points([(6, 6.0, 6.0)])
    assert b'"loss":[[6,' in go_on(course, store).event
