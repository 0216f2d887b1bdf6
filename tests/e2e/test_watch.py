"""The watch over every browser test sees what it is there for: otherwise its silence would mean nothing."""

from __future__ import annotations

from tests.e2e.conftest import Watch
from tests.support.curves import ask

INLINE = """(() => {
  const script = document.createElement("script");
  script.textContent = "window.ran = true";
  document.body.append(script);
})()"""
HANDLER = """(() => {
  const button = document.createElement("button");
  button.setAttribute("onclick", "window.ran = true");
  document.body.append(button);
  button.click();
})()"""
PICTURE = "(() => { new Image().src = 'http://127.0.0.2:9/x.png' })()"
EVALUATED = """(() => {
  const script = document.createElement("script");
  script.src = URL.createObjectURL(new Blob(["window.ran = true"], { type: "text/javascript" }));
  document.body.append(script);
})()"""


def test_what_the_policy_forbids_does_not_run_and_is_seen(watch: Watch, home: str) -> None:
    page = watch.page()
    page.goto(home)
    for number, wrong in enumerate((INLINE, HANDLER, PICTURE, EVALUATED), start=1):
        with page.expect_console_message(lambda message: "Content Security Policy" in message.text):
            page.evaluate(wrong)
        assert ask(page, "window.ran ?? null") is None
        assert len([one for one in watch.troubles if "Content Security Policy" in one]) >= number
    watch.troubles.clear()


def test_an_error_in_a_script_is_seen(watch: Watch, home: str) -> None:
    page = watch.page()
    page.goto(home)
    with page.expect_event("pageerror"):
        page.evaluate("setTimeout(() => { throw new Error('on purpose') })")
    assert watch.troubles == ["page error: on purpose"]
    watch.troubles.clear()
