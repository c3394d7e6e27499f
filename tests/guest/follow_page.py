# SPDX-License-Identifier: GPL-2.0-or-later
"""Usage: follow_page.py PAGE: steps through the life of a line in a browser, and prints what is wrong, or "forwards and backwards"."""
import sys

from browser import Page

STATE = """
const view = document.getElementById('view-follow');
return [view.querySelector('.at').textContent, ...[...view.querySelectorAll('dd')].map(d => d.dataset.item + ': ' + d.textContent),
        ...[...view.querySelectorAll('.message')].map(m => m.dataset.name + ' ' + m.style.opacity)];
"""
PRESS = "[...document.querySelectorAll('#view-follow [data-step]')].find(b => b.dataset.step === arguments[0]).click()"

with Page(sys.argv[1]) as page:
    def press(label):
        page.js(PRESS, label)
        return page.js(STATE)

    forwards = [press("first")]
    for _ in range(40):
        forwards.append(press("forward"))
    backwards = [forwards[-1]]
    for _ in range(40):
        backwards.append(press("back"))
    assert len({state[0] for state in forwards}) == 41, forwards
    assert backwards[::-1] == forwards, [pair for pair in zip(backwards[::-1], forwards) if pair[0] != pair[1]][:1]
    found = press("find forward")
    assert any(item.startswith("miss: ") and item.split(", ")[1] == "false_sharing" for item in found), found
    assert press("find back")[0] == found[0] or press("find forward")[0] == found[0], found
    assert any(item.startswith("waits, ps: ") and item != "waits, ps: none" for item in press("longest wait"))
    assert press("last")[0].split()[1] == press("last")[0].split()[3]
    assert not page.errors(), page.errors()
    print("forwards and backwards")
