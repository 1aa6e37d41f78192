"""The payment provider as the real Stripe SDK meets it: what it remembers, what it refuses, and how it fails."""

import http.client
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import httpx
import pytest
import stripe

from tests.sandbox.till import ORDER, Till, client, opened


def test_a_confirmed_payment_succeeds_and_can_be_read_back(till: Till) -> None:
    paid = till.pay()
    assert (paid.status, paid.amount_received, paid.currency) == ("succeeded", 3_800_000, "eur")
    assert paid.metadata.to_dict() == ORDER["metadata"]
    assert till.stripe.v1.payment_intents.retrieve(paid.id).to_dict() == paid.to_dict()


def test_a_payment_that_is_not_confirmed_can_be_cancelled_once(till: Till) -> None:
    waiting = till.pay(confirm=False)
    assert waiting.status == "requires_confirmation"
    cancelled = till.stripe.v1.payment_intents.cancel(waiting.id, {"cancellation_reason": "duplicate"})
    assert (cancelled.status, cancelled.cancellation_reason) == ("canceled", "duplicate")
    with pytest.raises(stripe.InvalidRequestError, match="has a status of canceled"):
        till.stripe.v1.payment_intents.cancel(waiting.id)
    assert till.count() == 1


def test_a_payment_that_does_not_exist_is_a_missing_resource(till: Till) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        till.stripe.v1.payment_intents.retrieve("pi_none")
    assert (refused.value.http_status, refused.value.code) == (404, "resource_missing")


def test_a_declined_card_is_402_and_leaves_a_failed_payment(till: Till) -> None:
    with pytest.raises(stripe.CardError) as declined:
        till.pay("k1", payment_method="pm_card_declined")
    assert (declined.value.http_status, declined.value.code) == (402, "card_declined")
    (failed,) = till.provider.payments()
    assert (failed["status"], failed["amount_received"]) == ("requires_payment_method", 0)
    with pytest.raises(stripe.CardError):
        till.pay("k1", payment_method="pm_card_declined")
    assert till.count() == 1


@pytest.mark.parametrize(
    ("changed", "param", "code"),
    [
        ({"amount": 0}, "amount", "parameter_invalid_integer"),
        ({"amount": -5}, "amount", "parameter_invalid_integer"),
        ({"amount": "380.00"}, "amount", "parameter_invalid_integer"),
        ({"amount": 100_000_000}, "amount", "amount_too_large"),
        ({"amount": ""}, "amount", "parameter_missing"),
        ({"currency": "EUR"}, "currency", None),
        ({"currency": "eurx"}, "currency", None),
        ({"currency": "kwd", "amount": 1234}, "amount", "invalid_charge_amount_no_decimal_compatible"),
        ({"currency": "isk", "amount": 150}, "amount", "invalid_charge_amount_no_decimal_compatible"),
        ({"metadata": {f"k{n}": "v" for n in range(51)}}, "metadata", None),
        ({"metadata": {"k" * 41: "v"}}, "metadata", None),
        ({"metadata": {"k": "v" * 501}}, "metadata[k]", None),
        ({"supplier": "sup_412"}, "supplier", "parameter_unknown"),
        ({"payment_method": None}, None, "payment_intent_unexpected_state"),
    ],
)
def test_a_malformed_payment_is_refused_with_the_parameter_named_and_its_key_stays_free(
    till: Till, changed: dict[str, Any], param: str | None, code: str | None
) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        till.pay("k1", **changed)
    assert (refused.value.http_status, refused.value.param, refused.value.code) == (400, param, code)
    assert till.count() == 0
    assert till.pay("k1").status == "succeeded"


def test_the_limits_of_metadata_are_themselves_allowed(till: Till) -> None:
    metadata = {f"k{n:039}": "v" * 500 for n in range(50)}
    assert till.pay(metadata=metadata).metadata.to_dict() == metadata


def test_a_repeated_key_replays_the_answer_and_pays_once(till: Till) -> None:
    first, again = till.pay("k1"), till.pay("k1")
    assert first.id == again.id
    assert first.last_response is not None
    assert again.last_response is not None
    assert "Idempotent-Replayed" not in first.last_response.headers
    assert again.last_response.headers["Idempotent-Replayed"] == "true"
    assert till.count() == 1


def test_without_a_key_every_request_is_a_new_payment(till: Till) -> None:
    assert till.pay().id != till.pay().id


def test_a_key_with_other_parameters_is_an_idempotency_error(till: Till) -> None:
    till.pay("k1")
    with pytest.raises(stripe.IdempotencyError, match="same parameters") as refused:
        till.pay("k1", amount=1)
    assert refused.value.http_status == 400
    assert till.count() == 1


def test_a_key_at_another_endpoint_is_an_idempotency_error(till: Till) -> None:
    waiting = till.pay("k1", confirm=False)
    with pytest.raises(stripe.IdempotencyError, match="same endpoint"):
        till.stripe.v1.payment_intents.cancel(waiting.id, options={"idempotency_key": "k1"})


def test_a_key_is_forgotten_after_24_hours_and_then_pays_again(till: Till) -> None:
    first = till.pay("k1")
    till.surface.post("/_clock", json={"advance_seconds": 24 * 3600 - 60}).raise_for_status()
    assert till.pay("k1").id == first.id
    till.surface.post("/_clock", json={"advance_seconds": 60}).raise_for_status()
    second = till.pay("k1")
    assert second.id != first.id
    assert second.created >= first.created + 24 * 3600


def test_a_connection_dropped_before_the_effect_has_paid_nothing(till: Till) -> None:
    till.fail("drop_before", order_ref="PO-2026-0193")
    with pytest.raises(stripe.APIConnectionError):
        till.pay("k1")
    assert till.count() == 0
    assert till.pay("k1").status == "succeeded"
    assert till.count() == 1


def test_a_connection_dropped_after_the_effect_has_paid_and_the_key_finds_it(till: Till) -> None:
    till.fail("drop_after", order_ref="PO-2026-0193")
    with pytest.raises(stripe.APIConnectionError):
        till.pay("k1")
    (stored,) = till.provider.payments()
    assert till.pay("k1").id == stored["id"]
    assert till.count() == 1


def test_a_500_after_the_effect_is_replayed_for_as_long_as_the_key_lives_and_the_list_shows_the_payment(
    till: Till,
) -> None:
    till.fail("500_after")
    for _ in range(2):
        with pytest.raises(stripe.APIError) as failed:
            till.pay("k1")
        assert failed.value.http_status == 500
        assert failed.value.headers is not None
        assert failed.value.headers["Stripe-Should-Retry"] == "false"
    listed = till.stripe.v1.payment_intents.list({"customer": "cus_412"})
    assert [intent.status for intent in listed.data] == ["succeeded"]


def test_a_provider_that_is_down_answers_nothing_until_it_is_up_again(till: Till) -> None:
    till.fail("down", times=None)
    for _ in range(2):
        with pytest.raises(stripe.APIError):
            till.stripe.v1.payment_intents.list()
        with pytest.raises(stripe.APIError):
            till.pay("k1")
    till.surface.delete("/_faults").raise_for_status()
    assert till.pay("k1").status == "succeeded"
    assert till.count() == 1


def test_a_fault_meets_only_the_requests_it_names_and_only_so_often(till: Till) -> None:
    planned = [{"match": {"order_ref": "PO-2"}, "fault": "drop_before", "times": 2}]
    till.surface.post("/_faults", json=planned).raise_for_status()
    till.pay()
    for _ in range(2):
        with pytest.raises(stripe.APIConnectionError):
            till.pay(metadata={"order_ref": "PO-2"})
    till.pay(metadata={"order_ref": "PO-2"})
    assert till.count() == 2


def test_a_request_that_hangs_has_paid_and_holds_its_key_until_its_client_goes_away(till: Till) -> None:
    till.fail("hang_after")
    address = httpx.URL(till.base)
    caller = http.client.HTTPConnection(address.host, address.port or 80)
    form = urlencode({"amount": 1900, "currency": "eur", "metadata[order_ref]": "PO-1"})
    headers = {"Authorization": "Bearer sk_test_placet", "Idempotency-Key": "k1"}
    caller.request("POST", "/stripe/v1/payment_intents", form, headers)
    stored = till.surface.get("/_wait", params={"order_ref": "PO-1", "timeout": 10}).json()["payment"]
    again: stripe.params.PaymentIntentCreateParams = {
        "amount": 1900,
        "currency": "eur",
        "metadata": {"order_ref": "PO-1"},
    }
    with pytest.raises(stripe.APIError) as conflict:
        till.stripe.v1.payment_intents.create(again, {"idempotency_key": "k1"})
    assert conflict.value.http_status == 409
    assert conflict.value.error is not None
    assert conflict.value.error.code == "idempotency_key_in_use"
    caller.close()
    assert till.provider.wait_until_free("k1", seconds=10)
    assert till.stripe.v1.payment_intents.create(again, {"idempotency_key": "k1"}).id == stored["id"]
    assert till.count() == 1


def test_waiting_for_a_payment_that_does_not_come_says_so(till: Till) -> None:
    answer = till.surface.get("/_wait", params={"order_ref": "PO-9", "timeout": "0"})
    assert answer.status_code == 408
    assert "PO-9" in answer.json()["error"]["message"]


def test_a_list_is_newest_first_and_pages_by_customer_and_time(till: Till) -> None:
    ids = []
    for _ in range(5):
        ids.append(till.pay().id)
        till.provider.advance(3600)
    till.pay(customer="cus_other")
    listed = till.stripe.v1.payment_intents.list({"customer": "cus_412", "limit": 2})
    assert ([intent.id for intent in listed.data], listed.has_more) == ([ids[4], ids[3]], True)
    assert [intent.id for intent in listed.auto_paging_iter()] == ids[::-1]
    third = till.stripe.v1.payment_intents.retrieve(ids[2])
    window = till.stripe.v1.payment_intents.list({"created": {"gte": third.created, "lt": third.created + 3600}})
    assert ([intent.id for intent in window.data], window.has_more) == ([ids[2]], False)


def test_a_list_has_no_filter_on_metadata(till: Till) -> None:
    with pytest.raises(stripe.InvalidRequestError) as refused:
        till.stripe.v1.payment_intents.list({"metadata": {"order_ref": "PO-1"}})  # type: ignore[arg-type]
    assert (refused.value.code, refused.value.param) == ("parameter_unknown", "metadata")


@pytest.mark.parametrize("limit", [0, 101])
def test_a_page_holds_1_to_100(till: Till, limit: int) -> None:
    with pytest.raises(stripe.InvalidRequestError):
        till.stripe.v1.payment_intents.list({"limit": limit})


def test_an_unknown_or_missing_api_key_is_401(till: Till) -> None:
    with pytest.raises(stripe.AuthenticationError, match="Invalid API Key"):
        client(till.base, "wrong").v1.payment_intents.list()
    assert httpx.get(f"{till.base}/v1/payment_intents").status_code == 401


def test_a_revoked_restricted_key_pays_nothing_and_other_keys_go_on(till: Till) -> None:
    restricted = client(till.base, "rk_test_run_7")
    restricted.v1.payment_intents.create(ORDER)  # type: ignore[arg-type]
    till.surface.post("/_keys", json={"revoke": "rk_test_run_7"}).raise_for_status()
    with pytest.raises(stripe.AuthenticationError, match="Expired API Key"):
        restricted.v1.payment_intents.create(ORDER)  # type: ignore[arg-type]
    assert till.pay().status == "succeeded"
    assert till.count() == 2


def test_an_endpoint_it_does_not_have_is_said_to_be_unknown(till: Till) -> None:
    with pytest.raises(stripe.InvalidRequestError, match="Unrecognized request URL"):
        till.stripe.v1.customers.list()


def test_payments_keys_clock_and_revocations_outlive_the_process(tmp_path: Path) -> None:
    journal = tmp_path / "provider.jsonl"
    with opened(journal) as till:
        before, paid = till.provider, till.pay("k1")
        before.advance(3600)
        before.revoke("rk_test_gone")
    with opened(journal) as till:
        assert till.provider.payments() == before.payments()
        assert till.provider.now() - before.now() in (0, 1)
        assert till.pay("k1").id == paid.id
        assert till.count() == 1
        with pytest.raises(stripe.AuthenticationError):
            client(till.base, "rk_test_gone").v1.payment_intents.list()


def test_twenty_clients_with_one_key_pay_once(till: Till) -> None:
    with ThreadPoolExecutor(20) as crowd:
        ids = {intent.id for intent in crowd.map(lambda _: till.pay("k1"), range(20))}
    assert len(ids) == 1
    assert till.count() == 1


@pytest.mark.parametrize(
    ("path", "document", "field"),
    [
        ("/_faults", [{"fault": "explode"}], "fault"),
        ("/_faults", [{"fault": "down", "times": 0}], "times"),
        ("/_faults", [{"fault": "down", "match": "PO-1"}], "match"),
        ("/_faults", {"fault": "down"}, "body"),
        ("/_clock", {"advance_seconds": -1}, "advance_seconds"),
        ("/_search", {"lag_seconds": "60"}, "lag_seconds"),
        ("/_faults", [{"fault": "list_lags", "seconds": -1}], "seconds"),
        ("/_keys", {}, "revoke"),
    ],
)
def test_the_test_surface_refuses_what_it_does_not_understand(till: Till, path: str, document: Any, field: str) -> None:
    answer = till.surface.post(path, json=document)
    assert (answer.status_code, answer.json()["error"]["field"]) == (400, field)
