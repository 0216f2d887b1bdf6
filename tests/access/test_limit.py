"""How often a wrong word may be tried."""

from __future__ import annotations

import threading

import pytest

from app.access.limit import ADDRESSES, OF_ALL, OF_ONE, WINDOW, Limiter, network


class Clock:
    now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_one_address_waits_after_its_last_try_and_no_longer_than_the_window() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    assert [limiter.begin("10.0.0.1") for _ in range(OF_ONE)] == [0] * OF_ONE
    clock.now += 100
    assert limiter.begin("10.0.0.1") == WINDOW - 100
    assert limiter.begin("10.0.0.2") == 0
    clock.now += WINDOW - 100
    assert limiter.begin("10.0.0.1") == 0


def test_waiting_visitors_do_not_make_the_wait_longer() -> None:
    clock = Clock()
    limiter = Limiter(clock)
    for _ in range(OF_ONE):
        limiter.begin("a::1")
    for _ in range(1_000):
        limiter.begin("a::1")
    clock.now += WINDOW
    assert limiter.begin("a::1") == 0


def test_many_addresses_together_are_limited_too() -> None:
    limiter = Limiter(Clock())
    waits = [limiter.begin(f"10.0.{one // 250}.{one % 250}") for one in range(OF_ALL + 5)]
    assert waits[:OF_ALL] == [0] * OF_ALL
    assert min(waits[OF_ALL:]) > 0


def test_a_right_word_costs_nothing_and_forgives_nothing() -> None:
    limiter = Limiter(Clock())
    for _ in range(OF_ONE - 1):
        limiter.begin("10.0.0.1")
    for _ in range(50):
        assert limiter.begin("10.0.0.1") == 0
        limiter.succeeded("10.0.0.1")
    limiter.begin("10.0.0.1")
    assert limiter.begin("10.0.0.1") > 0


def test_memory_is_bounded() -> None:
    limiter = Limiter(Clock(), of_all=10**9)
    for one in range(ADDRESSES + 500):
        limiter.begin(f"10.{one >> 16}.{one >> 8 & 255}.{one & 255}")
    assert len(limiter._by_address) == ADDRESSES


def test_many_at_once_get_no_more_tries() -> None:
    limiter, through = Limiter(Clock()), []
    at_once = threading.Barrier(16)

    def attempt() -> None:
        at_once.wait()
        for _ in range(20):
            through.append(limiter.begin("10.0.0.1") == 0)

    threads = [threading.Thread(target=attempt) for _ in range(16)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert sum(through) == OF_ONE


@pytest.mark.parametrize(
    ("address", "who"),
    [
        ("10.0.0.1", "10.0.0.1"),
        ("::ffff:10.0.0.1", "10.0.0.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::9", "2001:db8:1:2::/64"),
        ("", ""),
        ("nonsense", ""),
    ],
)
def test_whom_an_address_stands_for(address: str, who: str) -> None:
    assert network(address) == who
