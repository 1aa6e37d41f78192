"""The tool author's face: what is refused at import, what the model is shown, and what a call becomes before anything is done."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from engine import Agent, Effect, Money
from engine.errors import BadInput, Misconfigured
from engine.results import LONGEST_RESULT, Unwritable, plain, result_text, without
from engine.rules import digest
from engine.tool import InvalidArguments, Tool
from engine.tools import load
from engine.workers.worker import Worker

EFFECT = Effect(attempt_key="k1", effect_key="r:1:0", metadata={}, credential="", timeout_s=20, since=0)
EUROS = {"amount": "38000.00", "currency": "EUR"}
WRITE_AUDIENCE = 'Write it as in "https://payments.example".'


def agent() -> Agent:
    return Agent("tests", model="claude-sonnet-5", system="Test.")


def fault(write: Callable[[Agent], object]) -> str:
    """What the author is told when this is imported."""
    with pytest.raises(Misconfigured) as refused:
        write(agent())
    assert len(refused.value.faults) == 1, refused.value.faults
    return refused.value.faults[0]


def payment(mine: Agent, **options: Any) -> Tool:
    @mine.tool(**{"action": "payment", "amount": "amount", "payee": "to", **options})
    def pay(effect: Effect, to: str, amount: Money, note: str | None = None) -> dict[str, str]:
        """Pay somebody."""
        return {"paid": str(amount), "key": effect.attempt_key}

    assert isinstance(pay, Tool)
    return pay


# --------------------------------------------------------------------------------------------------------------- ask_human


def test_an_agent_that_may_ask_has_the_tool_that_the_model_is_shown_and_that_is_never_run() -> None:
    tool = Agent("asks", model="claude-sonnet-5", system="Ask.", ask_human=True).tools["ask_human"]
    schema = tool.schema()
    assert schema["name"] == "ask_human"
    assert "The answer approves nothing" in schema["description"]
    assert set(schema["input_schema"]["properties"]) == {"question", "choices"}
    assert schema["input_schema"]["required"] == ["question"]
    bound = tool.bind({"question": " Which? ", "choices": ["A ", "B"]})
    assert bound.arguments == {"question": "Which?", "choices": ["A", "B"]}
    with pytest.raises(AssertionError):
        tool.run(bound)


def test_whom_it_asks_is_not_the_authors_to_say() -> None:
    with pytest.raises(Misconfigured, match="ask_human is True or False; whom it asks is said by the policy's rules"):
        Agent("asks", model="claude-sonnet-5", system="Ask.", ask_human="marta")  # type: ignore[arg-type]


def test_the_name_and_the_action_of_a_question_are_taken() -> None:
    def ask_human(question: str) -> None: ...

    mine = Agent("asks", model="claude-sonnet-5", system="Ask.", ask_human=True)
    with pytest.raises(Misconfigured, match="the agent has a tool of that name already"):
        mine.tool(ask_human)
    assert fault(lambda a: payment(a, action="question")) == (
        "pay: the action 'question' is what ask_human asks about: Agent(..., ask_human=True). Name yours differently."
    )


# ------------------------------------------------------------------------------------------------------ refused at import


def test_an_effect_without_an_action_is_refused() -> None:
    def pay(effect: Effect, amount: Money) -> None: ...

    assert fault(lambda a: a.tool(pay)) == (
        'pay: it takes an Effect but names no action. Write @agent.tool(action="payment"), as the policy calls it.'
    )


def test_an_action_without_an_effect_is_refused() -> None:
    def pay(amount: Money) -> None: ...

    said = fault(lambda a: a.tool(action="payment")(pay))
    assert said == "pay: it has the action 'payment' but takes no Effect. Give it a first parameter: effect: Effect."


def test_an_amount_that_is_no_money_is_refused() -> None:
    def pay(effect: Effect, amount: float) -> None: ...

    said = fault(lambda a: a.tool(action="payment", amount="amount")(pay))
    assert said == "pay: the amount 'amount' must be annotated as Money, so that it is exact."


@pytest.mark.parametrize("role", ["amount", "payee"])
def test_an_option_that_names_no_parameter_is_refused_and_those_there_are_are_listed(role: str) -> None:
    assert fault(lambda a: payment(a, **{role: "sum"})) == (
        f"pay: {role}='sum' is no parameter of it. Write one of: to, amount, note."
    )


def test_a_detail_that_names_no_parameter_is_refused() -> None:
    assert fault(lambda a: payment(a, detail=["memo"])).startswith("pay: detail='memo' is no parameter of it.")


@pytest.mark.parametrize(("option", "value"), [("detail", "note"), ("scopes", "payments:write")])
def test_one_text_where_a_list_belongs_is_not_taken_for_its_letters(option: str, value: str) -> None:
    assert fault(lambda a: payment(a, **{option: value})) == f'pay: {option} is a list. Write {option}=["{value}"].'


def test_why_belongs_to_the_approver() -> None:
    def pay(effect: Effect, why: str) -> None: ...

    said = fault(lambda a: a.tool(action="payment")(pay))
    assert said == "pay: `why` is the approver's argument, which the tool never sees. Name yours differently."


def test_a_tool_without_effect_may_have_a_why_of_its_own() -> None:
    def ask_expert(why: str) -> str:
        return why

    mine = agent()
    mine.tool(ask_expert)
    assert mine.tools["ask_expert"].bind({"why": "curious"}).arguments == {"why": "curious"}


def test_two_tools_of_one_name_are_refused() -> None:
    mine = agent()
    payment(mine)
    with pytest.raises(Misconfigured) as refused:
        payment(mine)
    assert refused.value.faults == ["pay: the agent has a tool of that name already. Rename one."]


def test_options_of_an_effect_without_an_action_are_refused() -> None:
    def look(amount: Money) -> None: ...

    add: Any = agent().tool
    said = "look: amount, payee, detail, secret, scopes, credential, audience and no_find are for a tool with an effect"
    with pytest.raises(Misconfigured, match=said):
        add(amount="amount")(look)
    with pytest.raises(Misconfigured, match=said):
        add(audience="https://payments.example")(look)


def test_a_tool_may_name_the_audience_of_its_tokens_in_place_of_a_key() -> None:
    mine = agent()
    add = mine.tool(action="payment", scopes=["payments:write"], audience="https://payments.example")

    def pay(effect: Effect) -> None: ...

    assert (add(pay).audience, mine.tools["pay"].credential) == ("https://payments.example", None)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (
            {"audience": "https://p.example", "scopes": ["a"], "credential": "KEY"},
            "it has a credential and an audience, and only one of them can be its own. Take the other away.",
        ),
        (
            {"audience": "https://p.example"},
            "it has an audience and no scopes, so that its tokens could do anything. Name the scopes that it needs.",
        ),
        (
            {"audience": "payments", "scopes": ["a"]},
            f"audience='payments' cannot be used: it is no web address, which begins with https://. {WRITE_AUDIENCE}",
        ),
        (
            {"audience": "", "scopes": ["a"]},
            f"audience='' cannot be used: it holds a blank or another character that no web address has. {WRITE_AUDIENCE}",
        ),
    ],
)
def test_an_audience_that_cannot_be_minted_for_is_refused_where_it_is_written(
    options: dict[str, Any], said: str
) -> None:
    def pay(effect: Effect) -> None: ...

    assert fault(lambda a: a.tool(action="payment", **options)(pay)) == f"pay: {said}"


def test_a_misspelt_option_is_refused_where_it_is_written() -> None:
    add: Any = agent().tool
    with pytest.raises(TypeError, match="amuont"):
        add(action="payment", amuont="amount")


@pytest.mark.parametrize("option", ["timeout", "key_window", "settles_in"])
@pytest.mark.parametrize("value", ["20", "soon", "0s", "-1s", "1.5h", "367d", 20])
def test_a_duration_that_cannot_be_read_is_refused_with_its_name(option: str, value: Any) -> None:
    said = fault(lambda a: payment(a, **{option: value}))
    assert said.startswith(f"pay: {option}: ")
    assert "Write" in said


def test_no_provider_is_taken_to_honour_a_key_unless_it_is_said() -> None:
    assert payment(agent()).key_window_s == 0
    assert payment(agent(), key_window="24h").key_window_s == 86_400


def test_a_parameter_without_a_type_is_refused() -> None:
    def look(what) -> None: ...  # type: ignore[no-untyped-def]

    assert fault(lambda a: a.tool(look)) == (
        "look: the parameter what has no type. Annotate it; the model's schema comes from it."
    )


def test_arguments_without_names_are_refused_all_at_once() -> None:
    def look(*what: str, **more: str) -> None: ...

    with pytest.raises(Misconfigured) as refused:
        agent().tool(look)
    assert refused.value.faults == [
        "look: *what has no schema. Name every argument.",
        "look: *more has no schema. Name every argument.",
    ]


@pytest.mark.parametrize("name", ["_secret", "model_config", "copy"])
def test_a_name_that_would_be_lost_is_refused(name: str) -> None:
    namespace: dict[str, Any] = {}
    exec(f"def look({name}: str) -> None: ...", namespace)
    assert fault(lambda a: a.tool(namespace["look"])).startswith(f"look: a parameter cannot be called {name},")


def test_a_type_that_json_cannot_hold_is_refused() -> None:
    def look(what: type[Callable[[int], int]] | Iterator[object] | Agent) -> None: ...

    assert fault(lambda a: a.tool(look)).startswith("look: its arguments have no schema.")


@pytest.mark.parametrize("kind", ["summary", "quote", "find"])
def test_a_companion_that_asks_for_what_the_tool_does_not_take_is_refused(kind: str) -> None:
    def companion(amount: Money, colour: str, size: int) -> None: ...

    allowed = "amount, effect, note, to" if kind == "find" else "amount, note, to"
    assert fault(lambda a: getattr(payment(a), kind)(companion)) == (
        f"pay.{kind} asks for colour, size, which the tool does not take. Write some of: {allowed}."
    )


def test_only_find_is_given_the_effect() -> None:
    def companion(effect: Effect) -> None: ...

    assert fault(lambda a: payment(a).quote(companion)).startswith("pay.quote asks for effect,")
    payment(agent()).find(companion)


def test_a_companion_of_a_tool_without_effect_is_refused() -> None:
    def look(what: str) -> None: ...

    said = fault(lambda a: a.tool(look).summary(lambda what: what))
    assert said == "look.summary: the tool has no effect. Write @agent.tool(action=...), or take the summary away."


def test_a_second_companion_of_a_kind_is_refused() -> None:
    def twice(mine: Agent) -> None:
        tool = payment(mine)
        tool.summary(lambda to: to)
        tool.summary(lambda to: to)

    assert fault(twice) == "pay has two functions for its summary. Keep one."


MOVES_MONEY = (
    'pay: it moves money (amount="amount"), and when an answer is lost nothing can tell whether it did. '
    'Write @pay.find, or say why there is none: @agent.tool(..., no_find="Our bank has no list.").'
)


def test_an_agent_that_moves_money_and_cannot_find_out_whether_it_did_is_no_agent_to_launch_or_to_work_with() -> None:
    mine = agent()
    payment(mine)
    nothing: Any = None
    for use in (
        mine.check,
        lambda: mine.launch(input="Pay.", on_behalf_of="priya"),
        lambda: Worker(nothing, {mine.name: mine}, nothing),
    ):
        with pytest.raises(Misconfigured) as refused:
            use()
        assert refused.value.faults == [MOVES_MONEY]


def test_a_find_or_the_reason_why_there_is_none_makes_it_one() -> None:
    found, said, free = agent(), agent(), agent()
    payment(found).find(lambda effect: None)
    payment(said, no_find="Our bank has no list.")

    @free.tool(action="release")
    def release(effect: Effect, what: str) -> None:
        """No money moves."""

    for each in (found, said, free):
        each.check()
        assert each.launch(input="Pay.", on_behalf_of="priya").agent == "tests"


def test_a_reason_that_says_nothing_is_refused() -> None:
    says = 'pay: no_find is blank. Say why there is no find, as in no_find="Our bank has no list."'
    assert fault(lambda a: payment(a, no_find=" ")) == says


def test_a_find_beside_the_reason_why_there_is_none_is_refused() -> None:
    def both(mine: Agent) -> None:
        payment(mine, no_find="Our bank has no list.").find(lambda effect: None)

    assert fault(both) == "pay says why it has no find, and has one. Take no_find away."


def test_all_faults_of_a_tool_are_said_at_once() -> None:
    def pay(amount: float, why: str) -> None: ...

    with pytest.raises(Misconfigured) as refused:
        agent().tool(action="payment", amount="amount", payee="to", timeout="soon")(pay)
    assert len(refused.value.faults) == 5
    assert all(one.startswith("pay: ") for one in refused.value.faults)


# ------------------------------------------------------------------------------------------------------------------ load


@pytest.fixture
def modules(tmp_path: Path) -> Iterator[Callable[[str, str], str]]:
    """Writes a module by name and text, and gives its name; it can be imported during the test."""
    written: list[str] = []

    def write(name: str, text: str) -> str:
        (tmp_path / f"{name}.py").write_text(text)
        written.append(name)
        return name

    sys.path.insert(0, str(tmp_path))
    yield write
    sys.path.remove(str(tmp_path))
    for name in written:
        sys.modules.pop(name, None)


BLIND = """from engine import Agent, Effect, Money
agent = Agent("blind", model="m", system="s")
@agent.tool(action="payment", amount="amount")
def pay(effect: Effect, amount: Money) -> None: ...
"""


def test_agents_are_loaded_by_module_and_found_by_name() -> None:
    assert set(load(["tests.engine.small_agent", "examples.procurement.agent"])) == {"buyer", "procurement"}


def test_everything_wrong_with_all_modules_is_said_at_once(modules: Callable[[str, str], str]) -> None:
    wrong = [
        modules("placet_empty", ""),
        modules("placet_broken", "1 / 0"),
        modules("placet_twin", "from engine import Agent\nagent = Agent('buyer', model='m', system='s')"),
        modules(
            "placet_typo",
            "from engine import Agent\na = Agent('typo', model='m', system='s')\n@a.tool\ndef look(what): ...",
        ),
        modules("placet_blind", BLIND),
    ]
    with pytest.raises(Misconfigured) as refused:
        load(["tests.engine.small_agent", "placet_is_not_there", *wrong])
    missing = (
        "placet_is_not_there cannot be imported: No module named 'placet_is_not_there'. Check PLACET_AGENTS, a comma-separated list "
        f"of modules, each installed or in the current directory ({Path.cwd()})."
    )
    assert refused.value.faults == [
        missing,
        "placet_empty holds no Agent. Write agent = Agent(...) in it.",
        "placet_broken fails when it is imported: ZeroDivisionError: division by zero. Mend it.",
        "placet_twin: another agent is called 'buyer' already. Rename one.",
        "placet_typo: look: the parameter what has no type. Annotate it; the model's schema comes from it.",
        f"placet_blind: {MOVES_MONEY}",
    ]


def test_an_agent_that_another_module_imports_is_the_same_agent(modules: Callable[[str, str], str]) -> None:
    again = modules("placet_again", "from tests.engine.small_agent import agent")
    assert set(load(["tests.engine.small_agent", again])) == {"buyer"}


def test_an_empty_input_is_no_task() -> None:
    with pytest.raises(BadInput, match="input: it is empty"):
        agent().launch(input=" \n", on_behalf_of="priya")


def test_an_agent_without_orders_says_so() -> None:
    with pytest.raises(Misconfigured, match="takes no orders files"):
        agent().read_order({})


# --------------------------------------------------------------------------------------------------------------- schema


def test_the_agent_of_the_first_page_works() -> None:
    buyer = load(["tests.engine.small_agent"])["buyer"]
    charge = buyer.tools["charge_supplier"]
    bound = charge.bind(
        {
            "supplier_id": "sup_412",
            "amount": EUROS,
            "payment_method": "pm_1",
            "order_ref": "PO-1",
            "why": "Only one in stock.",
        }
    )
    assert charge.summarise(bound) == "Pay EUR 38,000.00 to sup_412 for PO-1."
    assert bound.why == "Only one in stock."
    assert charge.facts(bound).amount == Money(3_800_000, "EUR")
    assert charge.facts(bound).payee == "sup_412"
    assert charge.companion("quote", **bound.values).price == Money(100, "EUR")
    assert charge.companion("find", effect=EFFECT, **bound.values) == "r:1:0"
    assert charge.run(bound, EFFECT) == "paid EUR 38,000.00 with key k1"
    assert charge(EFFECT, "sup_412", Money(1, "EUR"), "pm_1", "PO-1") == "paid EUR 0.01 with key k1"


def test_the_schema_comes_from_signature_and_docstring() -> None:
    mine = agent()

    @mine.tool
    def get_quote(supplier_id: str, quantity: int = 1) -> None:
        """Ask for a price."""

    assert get_quote.schema() == {
        "name": "get_quote",
        "description": "Ask for a price.",
        "input_schema": {
            "type": "object",
            "properties": {"supplier_id": {"type": "string"}, "quantity": {"type": "integer", "default": 1}},
            "required": ["supplier_id"],
            "additionalProperties": False,
        },
    }


def test_a_tool_without_docstring_is_described_by_its_name() -> None:
    mine = agent()

    @mine.tool
    def get_quote() -> None: ...

    assert get_quote.schema()["description"] == "get quote"
    assert get_quote.schema()["input_schema"]["properties"] == {}


def test_money_is_a_decimal_text_and_a_currency_to_the_model() -> None:
    amount = payment(agent()).schema()["input_schema"]["properties"]["amount"]
    assert amount["required"] == ["amount", "currency"]
    assert amount["properties"]["amount"]["type"] == "string"
    assert amount["additionalProperties"] is False


def test_only_a_tool_with_an_effect_asks_why() -> None:
    tool = payment(agent())
    tool.schema()["input_schema"]["properties"].clear()  # what whoever holds it does to it is not seen by the next
    gated = tool.schema()["input_schema"]
    assert gated["required"] == ["to", "amount", "why"]
    assert gated["properties"]["why"]["type"] == "string"
    plain_tool = load(["tests.engine.small_agent"])["buyer"].tools["get_quote"].schema()["input_schema"]
    assert "why" not in plain_tool["properties"]


def test_the_version_follows_the_arguments_and_not_the_description() -> None:
    def described(text: str, kind: Any) -> Tool:
        def pay(effect: Effect, to: str) -> None: ...

        pay.__doc__, pay.__annotations__["to"] = text, kind
        made: Tool = agent().tool(action="payment")(pay)
        return made

    assert described("Pay.", str).version == described("Pay somebody.", str).version
    assert described("Pay.", str).version != described("Pay.", int).version


# ----------------------------------------------------------------------------------------------------------- validation


def test_why_is_taken_out_before_tool_and_fingerprint_see_it() -> None:
    tool = payment(agent())
    one, other = (tool.bind({"to": "sup", "amount": EUROS, "why": why}) for why in ("Cheap.", "Near."))
    assert one.arguments == other.arguments == {"to": "sup", "amount": EUROS, "note": None}
    assert set(one.values) == {"to", "amount", "note"}


@pytest.mark.parametrize("why", [None, "", "  ", 7, ["Cheap."]])
def test_a_call_without_a_reason_is_answered_to_the_model(why: Any) -> None:
    with pytest.raises(InvalidArguments, match="Nothing was done: why: it is missing"):
        payment(agent()).bind({"to": "sup", "amount": EUROS, "why": why})


def bought(given: dict[str, Any]) -> str:
    mine = agent()

    @mine.tool
    def buy(sku: str, qty: int, note: str | None = None) -> None: ...

    return digest.fingerprint("buy", buy.bind(given).arguments)


def test_equal_actions_share_a_fingerprint_however_they_are_written() -> None:
    wanted = bought({"sku": "A", "qty": 7})
    assert bought({"qty": "7", "sku": "A"}) == wanted
    assert bought({"sku": "A", "qty": 7, "note": None}) == wanted
    assert bought({"sku": "A", "qty": 7.0}) == wanted


@given(st.tuples(st.text(max_size=5), st.integers(-9, 9)), st.tuples(st.text(max_size=5), st.integers(-9, 9)))
def test_different_actions_never_share_one(one: tuple[str, int], other: tuple[str, int]) -> None:
    def print_of(action: tuple[str, int]) -> str | None:
        try:
            return bought({"sku": action[0], "qty": action[1]})
        except InvalidArguments:
            return None

    first, second = print_of(one), print_of(other)
    assert first is None or (first == second) == (one == other)


@pytest.mark.parametrize(
    ("amount", "says"),
    [
        ({"amount": "17,000", "currency": "EUR"}, "cannot be read with certainty"),
        ({"amount": "1.234,56", "currency": "EUR"}, "cannot be read with certainty"),
        ({"amount": 38000.5, "currency": "EUR"}, "write it as text"),
        ({"amount": "1.005", "currency": "EUR"}, "finer than EUR"),
        ({"amount": "500.50", "currency": "JPY"}, "finer than JPY"),
        ({"amount": "-1.00", "currency": "EUR"}, "minus sign"),
        ({"amount": "1.00", "currency": "EURO"}, "no current ISO 4217 code"),
        ("EUR 38,000.00", "write {"),
    ],
)
def test_an_amount_that_can_be_read_in_two_ways_is_answered_to_the_model(amount: Any, says: str) -> None:
    with pytest.raises(InvalidArguments) as refused:
        payment(agent()).bind({"to": "sup", "amount": amount, "why": "Cheap."})
    assert says in str(refused.value)
    assert str(refused.value).startswith("Nothing was done: amount")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "NaN", "1e999"])
def test_a_number_that_is_none_is_answered_to_the_model(value: Any) -> None:
    mine = agent()

    @mine.tool
    def weigh(kilos: float) -> None: ...

    with pytest.raises(InvalidArguments, match="kilos"):
        weigh.bind({"kilos": value})


@pytest.mark.parametrize("value", [float("nan"), 2**60, "a\0b", "\ud800", {"deep": [float("inf")]}])
def test_what_has_no_exact_text_is_refused_even_where_anything_goes(value: Any) -> None:
    mine = agent()

    @mine.tool
    def keep(anything: Any) -> None: ...

    with pytest.raises(InvalidArguments, match="Nothing was done: anything"):
        keep.bind({"anything": value})


def test_an_argument_the_tool_does_not_take_is_named() -> None:
    with pytest.raises(InvalidArguments, match="colour"):
        payment(agent()).bind({"to": "sup", "amount": EUROS, "colour": "red", "why": "Cheap."})


# ------------------------------------------------------------------------------------------------------- what is shown


def test_every_argument_is_shown_labelled_in_signature_order() -> None:
    tool = payment(agent(), detail=["note"])
    lines = tool.lines(tool.bind({"note": "as agreed", "amount": EUROS, "to": "sup", "why": "Cheap."}))
    assert [(line.label, line.value, line.detail) for line in lines] == [
        ("To", "sup", False),
        ("Amount", "EUR 38,000.00", False),
        ("Note", "as agreed", True),
    ]


def test_a_summary_that_fails_is_replaced_by_all_arguments() -> None:
    tool = payment(agent())
    tool.summary(lambda note: note.upper())
    bound = tool.bind({"to": "sup", "amount": EUROS, "why": "Cheap."})
    assert tool.summarise(bound) == "to sup, amount EUR 38,000.00, note null"


def test_a_summary_of_nothing_is_replaced_by_all_arguments() -> None:
    tool = payment(agent())
    tool.summary(lambda to: "  ")
    assert tool.summarise(tool.bind({"to": "sup", "amount": EUROS, "why": "Cheap."})).startswith("to sup, amount")


def test_the_card_is_titled_by_the_action() -> None:
    assert payment(agent()).title == "Approve a payment?"
    assert payment(agent(), action="issue_refund").title == "Approve an issue refund?"
    assert payment(agent(), title="Pay?").title == "Pay?"


# ------------------------------------------------------------------------------------------------------------ async tools


def test_tools_and_companions_may_be_async() -> None:
    mine = agent()

    @mine.tool(action="payment")
    async def pay(effect: Effect, to: str) -> str:
        return f"paid {to}, {effect.attempt_key}"

    @pay.find
    async def _(effect: Effect, to: str) -> str:
        return f"found {to}, {effect.effect_key}"

    bound = pay.bind({"to": "sup", "why": "Cheap."})
    assert pay.run(bound, EFFECT) == "paid sup, k1"
    assert pay.companion("find", effect=EFFECT, **bound.values) == "found sup, r:1:0"
    assert pay.companion("quote", **bound.values) is None


# ---------------------------------------------------------------------------------------------------------------- results


class Receipt(BaseModel):
    reference: str


@dataclass
class Parcel:
    weight: int


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "(no result)"),
        ("", "(no result)"),
        ("  \n", "(no result)"),
        ("paid", "paid"),
        ("ok\0", "ok\ufffd"),
        ("half \ud83d", "half \ufffd"),
        ("the text \\u0000 itself", "the text \\u0000 itself"),
        (0, "0"),
        ([], "[]"),
        ({"a": "Grüße"}, '{"a": "Grüße"}'),
        ({"a\0": ["b\0"]}, '{"a\ufffd": ["b\ufffd"]}'),
        (b"raw \xff", "raw \ufffd"),
        (Money(500, "JPY"), '{"amount": "500", "currency": "JPY"}'),
        ({"price": Money(100, "EUR")}, '{"price": {"amount": "1.00", "currency": "EUR"}}'),
        (Receipt(reference="pi_1"), '{"reference": "pi_1"}'),
        (Parcel(3), '{"weight": 3}'),
        (Path("/tmp/x"), "/tmp/x"),
    ],
)
def test_whatever_a_tool_returns_the_model_can_be_given(value: Any, text: str) -> None:
    assert result_text(value) == text


class Mute:
    def __str__(self) -> str:
        raise RuntimeError("no words")


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize("value", [float("nan"), {"unit": float("inf")}, CIRCLE, {(1, 2): 3}, Mute()])
def test_what_cannot_be_written_down_is_said_so_in_one_way(value: Any) -> None:
    with pytest.raises(Unwritable, match="cannot be written down"):
        plain(value)
    with pytest.raises(Unwritable):
        result_text(value)


def test_a_huge_result_is_cut_with_a_visible_mark() -> None:
    text = result_text("x" * (LONGEST_RESULT + 7))
    assert text.endswith("x\n[cut here: 7 more characters]")
    assert len(text) < LONGEST_RESULT + 50
    assert result_text("x" * LONGEST_RESULT) == "x" * LONGEST_RESULT


def test_a_secret_is_taken_out_of_everything_that_is_kept() -> None:
    kept = {"a": ["sk_12345678", 7, None, {"sk_12345678": "Bearer sk_12345678!"}], "b": True}
    assert without("sk_12345678", kept) == {
        "a": ["[credential]", 7, None, {"[credential]": "Bearer [credential]!"}],
        "b": True,
    }
    assert without("sk_12345678", "no sk_12345678, sk_1234567") == "no [credential], sk_1234567"


@pytest.mark.parametrize("short", ["", "a", "sk_1234"])
def test_what_is_too_short_to_be_a_secret_is_left(short: str) -> None:
    assert without(short, ["a", "sk_1234"]) == ["a", "sk_1234"]
