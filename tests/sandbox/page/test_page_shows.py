"""What the page shows, in a real browser, and what it never lets in."""

import re

import pytest
from playwright.sync_api import expect

from tests.sandbox.page.canned import PAGE, CannedWorkspace, Open
from tests.sandbox.page.kit import Json, actions, button, mrkdwn, plain, rich, said

PAYLOAD = "<img src=x onerror=\"window.pwned='yes'\"><script>window.pwned='yes'</script>"

BLOCKS: list[tuple[Json, str]] = [
    ({"type": "header", "text": plain("Approve *a* payment?")}, '<h3 class="header-text">Approve *a* payment?</h3>'),
    ({"type": "section", "text": plain("a &lt;b&gt; &amp; *c*")}, '<div class="section-text">a &lt;b&gt; &amp; *c*</div>'),
    ({"type": "section", "fields": [mrkdwn("*Amount*"), mrkdwn("x")]}, '<div class="fields"><div class="field"><strong>Amount</strong></div><div class="field">x</div></div>'),
    ({"type": "context", "elements": [mrkdwn("_soon_")]}, '<span class="context-text"><em>soon</em></span>'),
    ({"type": "divider"}, "<hr>"),
    (rich(said("b", bold=True), said("i", italic=True)), '<div class="rich-section"><strong>b</strong><em>i</em></div>'),
    (rich(said("*as written* <@U0MARTA>"), part="rich_text_preformatted"), "<pre>*as written* &lt;@U0MARTA&gt;</pre>"),
    (rich(said("why"), part="rich_text_quote"), "<blockquote>why</blockquote>"),
    (rich({"type": "rich_text_section", "elements": [said("one")]}, part="rich_text_list", style="ordered"), '<ol class="rich-list" data-indent="0"><li>one</li></ol>'),
    (rich({"type": "user", "user_id": "U0PRIYA"}, {"type": "emoji", "name": "tick", "unicode": "2705"}), '<div class="rich-section"><span class="mention">@Priya</span>✅</div>'),
    ({"type": "markdown", "text": "**b** and `c`"}, "<p><strong>b</strong> and <code>c</code></p>"),
    ({"type": "image", "image_url": "https://example.com/x.png", "alt_text": "A chart"}, '<span class="image" role="img" aria-label="A chart">A chart</span>'),
    ({"type": "carousel"}, '<p class="unknown">This page cannot show a block of type carousel.</p>'),
]  # fmt: skip


def test_each_kind_of_block_is_shown(window: Open, workspace: CannedWorkspace) -> None:
    workspace.say(blocks=[block for block, _ in BLOCKS])
    shown = window().locator(".block").evaluate_all("blocks => blocks.map((block) => block.innerHTML)")
    assert shown == [html for _, html in BLOCKS]


MRKDWN: list[tuple[str, str]] = [
    ("*bold* _it_ ~no~ `x*y*`", "<strong>bold</strong> <em>it</em> <s>no</s> <code>x*y*</code>"),
    ("*bold _both_* 2*3*4 snake_case_name * a *", "<strong>bold <em>both</em></strong> 2*3*4 snake_case_name * a *"),
    ("```a *b*\n&lt;c&gt;```", "<pre>a *b*\n&lt;c&gt;</pre>"),
    ("so:\n&gt; one\n> two\nend", "so:<blockquote>one\ntwo</blockquote>end"),
    ("<@U0MARTA> <@U0PRIYA> <#C0FIN> <!channel>", '<span class="mention mention-me">@Marta</span> <span class="mention">@Priya</span> <a class="mention" href="/?as=U0MARTA&amp;channel=C0FIN">#finance</a> <span class="mention mention-me">@channel</span>'),
    ("&lt;@U0MARTA&gt; &lt;!channel&gt; &amp;amp;", "&lt;@U0MARTA&gt; &lt;!channel&gt; &amp;amp;"),
    ("<https://a.example/?x=1&amp;y=2|see *it*>", '<a href="https://a.example/?x=1&amp;y=2" target="_blank" rel="noopener noreferrer" class="link">see *it*</a>'),
    ("<javascript:alert(1)|click>", "<span>click</span>"),
    ("1 < 2 & 3 > 2", "1 &lt; 2 &amp; 3 &gt; 2"),
]  # fmt: skip


def test_mrkdwn_reads_as_in_slack(window: Open, workspace: CannedWorkspace) -> None:
    for text, _ in MRKDWN:
        workspace.say(text=text)
    shown = window().locator(".text").evaluate_all("texts => texts.map((text) => text.innerHTML)")
    assert shown == [html for _, html in MRKDWN]


@pytest.mark.parametrize(
    ("zone", "shown"), [("Europe/Berlin", "July 17th, 2020, 13:19"), ("America/New_York", "July 17th, 2020, 07:19")]
)
def test_a_date_is_shown_in_the_zone_of_its_reader(
    window: Open, workspace: CannedWorkspace, zone: str, shown: str
) -> None:
    workspace.say(text="<!date^1594984740^{date}, {time}|once>")
    expect(window(timezone_id=zone, locale="en-GB").locator(".text")).to_have_text(shown)


def test_a_table_has_a_head_and_aligned_columns(window: Open, workspace: CannedWorkspace) -> None:
    rows = [
        [{"type": "raw_text", "text": text} for text in row] for row in (("What", "Amount"), ("Pumps", "38,000.00"))
    ]
    workspace.say(blocks=[{"type": "table", "rows": rows, "column_settings": [{}, {"align": "right"}]}])
    page = window()
    expect(page.get_by_role("columnheader")).to_have_text(["What", "Amount"])
    assert page.get_by_role("cell", name="38,000.00").evaluate("cell => getComputedStyle(cell).textAlign") == "right"


def test_text_of_others_never_becomes_markup_or_script(window: Open, workspace: CannedWorkspace) -> None:
    workspace.people[1]["name"] = PAYLOAD
    link = {"type": "link", "url": "javascript:window.pwned='yes'", "text": "link"}
    cells = [[{"type": "raw_text", "text": PAYLOAD}]]
    blocks = [
        {"type": "header", "text": plain(PAYLOAD)},
        {
            "type": "section",
            "text": mrkdwn(f"{PAYLOAD} <@U0PRIYA> <javascript:window.pwned='yes'|link> ```{PAYLOAD}```"),
            "fields": [mrkdwn(PAYLOAD)],
        },
        {
            "type": "context",
            "elements": [mrkdwn(PAYLOAD), {"type": "image", "image_url": "https://a.example", "alt_text": PAYLOAD}],
        },
        rich(said(PAYLOAD), link, {"type": "emoji", "name": PAYLOAD}),
        {"type": "table", "rows": cells},
        {"type": "markdown", "text": f"# {PAYLOAD}\n[link](javascript:window.pwned='yes')\n\n{PAYLOAD}"},
        actions(button(PAYLOAD[:70], url="javascript:window.pwned='yes'")),
        {"type": PAYLOAD},
    ]
    workspace.say(blocks=blocks)
    workspace.say(text=PAYLOAD, user="U0PRIYA", bot=False)
    page = window()
    page.get_by_role("button", name="<img").click()
    page.get_by_text("link").first.click()
    assert workspace.posted.get(timeout=5)[0] == "click"
    assert page.evaluate("window.pwned") is None
    assert page.locator("main :is(img, script, iframe)").count() == 0
    assert page.locator("a[href^='javascript']").count() == 0
    assert PAYLOAD in page.locator(".header-text").inner_text()


def test_no_module_of_the_page_can_turn_text_into_markup() -> None:
    ways = re.compile(
        r"innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|DOMParser|document\.write|\beval\b|new Function"
    )
    modules = {file.name: file.read_text() for file in PAGE.glob("*.js")}
    assert "page.js" in modules
    assert [name for name, source in modules.items() if ways.search(source)] == []


def test_people_channels_and_messages_can_be_found_without_eyes(window: Open, workspace: CannedWorkspace) -> None:
    ts = workspace.say(text="Only Marta may decide.", ephemeral=True)
    workspace.unread = 2
    page = window()
    side = page.get_by_role("navigation", name="Channels and people")
    expect(side.get_by_role("link", name="purchasing")).to_have_attribute("aria-current", "page")
    expect(side.get_by_role("link", name="finance")).to_contain_text("2")
    expect(side.get_by_role("link", name="Sam Okafor").first).to_contain_text("Guest")
    expect(page.get_by_role("article")).to_have_attribute("data-ts", ts)
    expect(page.get_by_role("article")).to_contain_text("Only visible to you")
    expect(page.get_by_role("note")).to_have_text(
        "Local workspace: you act as everyone here. Nothing leaves this machine."
    )


def test_two_windows_are_two_people(window: Open) -> None:
    marta, priya = window(), window("/?as=U0PRIYA")
    expect(marta.locator(".acting")).to_contain_text("Marta")
    expect(priya.locator(".acting")).to_contain_text("Priya")
    marta.get_by_role("link", name="Sam Okafor").first.click()
    expect(marta.locator(".acting")).to_contain_text("Sam")
    assert "as=U0GUEST&channel=C0BUY" in marta.url


def test_an_empty_channel_says_what_will_appear(window: Open) -> None:
    expect(window().get_by_text("When an agent needs a yes, Placet asks here")).to_be_visible()


def test_a_narrow_screen_keeps_the_sidebar_behind_a_button(window: Open, workspace: CannedWorkspace) -> None:
    workspace.say(
        blocks=[{"type": "section", "fields": [mrkdwn("*Order*\n" + "x" * 200)] * 2}, actions(*[button("Approve")] * 5)]
    )
    page = window(viewport={"width": 390, "height": 780})
    side = page.get_by_role("navigation")
    expect(side).to_be_hidden()
    assert page.locator("#scroller").evaluate("pane => pane.scrollWidth <= pane.clientWidth")
    page.get_by_role("button", name="Channels and people").click()
    side.get_by_role("link", name="finance").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("finance")
    expect(side).to_be_hidden()
