/* The rules by which an approved action is done once, as a model that spin searches whole: every order of every step of everybody.
 *
 *   spin -a -DMOST_LOSSES=1 placet.pml && gcc -O2 -DSAFETY -o pan pan.c && ./pan
 *   spin -a -DWITHOUT=WINDOW placet.pml && gcc -DSAFETY -o pan pan.c && ./pan && spin -t -p -DWITHOUT=WINDOW placet.pml
 *
 * The second takes one guard away and shows step by step what goes wrong then. test_model.py does both, for every guard, in these searches
 * (all at once would be a hundred times as many states):
 *
 *   CRASHES   -DNARROWS=0 -DMOST_HALTS=0                                                   the run is lost to its worker twice
 *   RIGHTS    -DMOST_LOSSES=1                                                              and it is withdrawn, halted, or has no right to go on
 *   CALM      -DMOST_LOSSES=0                                                              the same, with workers that are not lost
 *   PEOPLE    -DMOST_LOSSES=1 -DNARROWS=0 -DMOST_HALTS=0 -DPEOPLE=2 -DMOST_RETRIES=2       and two people say what happened
 *
 * One run with one gated call, asked already. An atomic block of a worker or of a person is one statement of sql/, with the name below;
 * between two of them anybody else moves, and a process may stand still for as long as it likes, or be killed.
 *
 *   worker      claim_run, reclaim_run (idle); calls.settle (look: load_run); begin_effect (begin); perform.call (call, sent: the key goes to
 *               the provider, and an answer comes or is lost); settle_attempt (receipt, no, doubt); perform.reconcile and _pursue with
 *               repeat_attempt (reconcile, repeat); perform._look with the tool's find (lookup); perform._anew with replace_attempt (anew)
 *   approvers   decide_pause    sweeper   settle_due    requester   withdraw_pause, cancel_run    people   resolve_effect    operator   a halt
 *   outside     the provider and the time: calls that arrive when nobody waits any more or never do, a list that lags, keys that are forgotten
 *   rest        when nobody can move: how it must have come out
 *
 * The names are those of the rows, but for STOPPED (a run `in_doubt`), FINISHED (done, error), NOT_DONE (a pause `failed`).
 *
 * Times are not numbers here but facts that become true at any moment that the design allows. ended: the newest attempt's call_deadline has
 * passed, so nothing of it is on its way. lagging: the list does not show what was charged; after call_deadline and the settling time it
 * does. over: the time in which a key may be used again (perform.remembered_s) has passed; the provider forgets it later than that, and after
 * the call that was begun before has ended.
 *
 * late: what a first call needs does not hold any more, and never will again: the time to do it has passed, its text is altered, the grant or
 * the approver's role is gone, or too much was spent. halted: it does not hold for now, by a halt; a hold is looked at in the same places, but for
 * repeat_attempt, and lets the run go besides.
 *
 * Bounded are: lost leases and killed workers (together), calls with one key, keys, how often people say "try again", and how often effects are
 * halted. Left out, because they only narrow what happens here: votes, siblings, escalation, quotes. That a click counts only before fire_at is
 * no guard here: the sweeper may come at any time, and whoever comes first breaks none of these promises.
 */
#ifndef WITHOUT
#define WITHOUT 0
#endif
#ifndef ONLY
#define ONLY 0
#endif
#define without(guard) (WITHOUT == guard)
#define hold(property, claim) assert((ONLY != 0 && ONLY != property) || (claim))

/* The properties. */
#define ONCE    1 /* at most one charge */
#define REFUSED 2 /* nothing is charged for a pause that was denied, expired or was withdrawn */
#define FINAL   3 /* a settled status of a pause or an effect never changes */
#define RECEIPT 4 /* what was charged is on record as done, as in doubt, or as ended by a person without knowing; a receipt as done */
#define WINNER  5 /* of clicks, time and withdrawal exactly one settles what waits */
#define AWAKE   6 /* when nobody can move, the run has ended or waits visibly for a person */
#define RIGHT   7 /* nothing is begun, repeated or taken up anew that is withdrawn or halted; nor begun or taken up anew that is late */

/* The guards: the property that breaks without it; what it says; where it stands, if anything holds it; the search that shows it, if not CRASHES.
 * Further checks stand in the statements and below. Each alone is a second lock on a door, and without it nothing breaks (tried): the epoch
 * in begin_effect (behind it: ONE_EFFECT, APPROVAL), call_deadline in replace_attempt (before it: perform._look), the status in
 * replace_attempt (before it: the epoch), that nothing of a withdrawn run is tried again in resolve_effect (behind it: ANEW_WANTED), and either
 * of the two places of ONE_EFFECT. */
#define WAITS          1 /* WINNER: only what waits is decided or expires | decide_pause, settle_due */
#define LIVE           2 /* FINAL: only what waits or is approved is withdrawn | withdraw_pause: settled */
#define NOTHING_OPEN   3 /* REFUSED: nothing is withdrawn while an effect is open | withdraw_pause: open */
#define APPROVAL       4 /* REFUSED: only what is approved at that moment is begun | begin_effect: not_approved */
#define ONE_EFFECT     5 /* ONCE: what was begun is only reconciled | calls.settle; begin_effect: exists */
#define LEDGER_FIRST   6 /* ONCE: the attempt is committed before its call | perform.begin */
#define REPEAT_EPOCH   7 /* ONCE: only who has the run calls again | repeat_attempt: no row */
#define REPLACE_EPOCH  8 /* ONCE: only who has the run takes a fresh key | replace_attempt: no row */
#define PROMPT         9 /* ONCE: a call goes out before its deadline or not at all | perform._in_time, _is_late */
#define WINDOW        10 /* ONCE: a key is used again only while it is remembered | repeat_attempt: over */
#define CALL_ENDED    11 /* ONCE: that it did not happen is believed only after the call has ended | perform._look; replace_attempt: settled */
#define LIST_SETTLED  12 /* ONCE: and only after the list has settled | perform._look: settles_in_s */
#define FIND_FIRST    13 /* ONCE: the provider is asked before a fresh key | perform._look */
#define ASK           14 /* ONCE: what nobody can tell is asked and not guessed | receipts.doubt */
#define STILL         15 /* ONCE: while a person is asked nothing is sent | repeat_attempt: settled */
#define PATIENCE      16 /* ONCE: a person looks after the call has ended and the list has settled | perform._on_a_persons_word: waits, then asks the provider */
#define IN_DOUBT_ONLY 17 /* FINAL: a person's word counts only in doubt | resolve_effect: settled */
#define FIRST_OUTCOME 18 /* FINAL: the first outcome stands | settle_attempt: settled */
#define ANY_EPOCH     19 /* RECEIPT: a receipt counts whoever has the run by now | settle_attempt: an epoch for a no only */
#define LATEST_NO     20 /* RECEIPT: a no counts only if nobody has called again since | settle_attempt: settled */
#define ABSENT_NO     21 /* RECEIPT: a no to an attempt thought absent says nothing of the next one | settle_attempt: settled */
#define REPEAT_NO     22 /* RECEIPT: a no to a repeat says nothing of the call before | perform._pursue */
#define WAKE          23 /* AWAKE: what settles the pause wakes the run | decide_pause, settle_due, withdraw_pause: after.wakes */
#define RESOLVE       24 /* AWAKE: what settles a doubt wakes the run | settle_attempt, resolve_effect: way 'resolve' */
#define SAME_DOUBT    25 /* ONCE: an answer is to the doubt that was shown | resolve_effect: again [PEOPLE] */
#define NOTED         26 /* REFUSED: a run is withdrawn while nothing of it is open, and else when that is settled | cancel_run: note_cancel [CALM] */
#define BEGIN_HALTED  27 /* RIGHT: nothing is begun under a halt or a hold | begin_effect: halted, held [CALM] */
#define BEGIN_LATE    28 /* RIGHT: nothing is begun that does not hold any more | begin_effect: late, altered, spent [CALM] */
#define REPEAT_HALTED 29 /* RIGHT: nothing is called again under a halt | repeat_attempt: halted [CALM] */
#define REPEAT_WANTED 30 /* RIGHT: nothing is called again that is withdrawn, for that call may be the first to happen | repeat_attempt: withdrawn [CALM] */
#define ANEW_HALTED   31 /* RIGHT: no fresh key under a halt or a hold | replace_attempt: halted, held [CALM] */
#define ANEW_LATE     32 /* RIGHT: no fresh key for what does not hold any more | replace_attempt: late, altered, spent [CALM] */
#define ANEW_WANTED   33 /* RIGHT: no fresh key for what is withdrawn | replace_attempt: withdrawn [CALM] */

/* The bounds; the provider's process below knows three keys. */
#define KEYS         3
#ifndef MOST_LOSSES
#define MOST_LOSSES  2
#endif
#ifndef MOST_CALLS
#define MOST_CALLS   2
#endif
#ifndef MOST_RETRIES
#define MOST_RETRIES 1
#endif
#ifndef MOST_HALTS
#define MOST_HALTS   1
#endif
#ifndef NARROWS
#define NARROWS      1        /* whether a run may be withdrawn, and its right to go on be lost */
#endif
#ifndef PEOPLE
#define PEOPLE       1        /* who say what happened */
#endif

mtype:runs     = { AWAITING, QUEUED, RUNNING, STOPPED, FINISHED }
mtype:pauses   = { WAITING, APPROVED, DENIED, EXPIRED, CANCELLED, VOIDED, EXECUTED, NOT_DONE }
mtype:effects  = { NOTHING, ATTEMPTED, IN_DOUBT, DONE, FAILED, ABANDONED }
mtype:attempts = { NONE, OPEN, ABSENT, UNKNOWN }

/* The rows. */
mtype:runs run_is = AWAITING;
mtype:pauses pause = WAITING;
mtype:effects effect = NOTHING;
mtype:attempts attempt[KEYS] = NONE;
byte keys, tries, caller;     /* attempts so far; of the newest: calls with its key, and the epoch of the last */
byte epoch;
bool wanted;                  /* cancel_wanted: the run is to be withdrawn when what is open is settled */
bool dead;                    /* the worker of this epoch was killed: its lease runs out by itself */
#define newest (keys - 1)

/* Outside. */
byte on_way[KEYS], charges;
bool known[KEYS], lagging, ended, over, late, halted;

byte losses, retries, winners, halts;

#define refused (pause == DENIED || pause == EXPIRED || pause == CANCELLED || pause == VOIDED)
#define settled (effect == DONE || effect == FAILED || effect == ABANDONED)
#define open    (effect == ATTEMPTED || effect == IN_DOUBT)
#define listed  (!without(FIND_FIRST) && charges > 0 && !lagging)

/* What the statements of a worker look at. */
#define may_begin   (epoch == mine && run_is == RUNNING && (without(ONE_EFFECT) || effect == NOTHING) && (without(APPROVAL) || pause == APPROVED))
#define may_repeat  ((without(REPEAT_EPOCH) || epoch == mine) && !settled && \
                     (without(STILL) || (run_is == RUNNING && effect == ATTEMPTED && attempt[k] == OPEN)))
#define may_replace ((without(REPLACE_EPOCH) || epoch == mine) && run_is == RUNNING && effect == ATTEMPTED && \
                     (without(CALL_ENDED) || attempt[newest] != OPEN || ended))
#define unsettled   (without(FIRST_OUTCOME) || !settled)
#define yes_counts  (unsettled && (!without(ANY_EPOCH) || epoch == mine))
#define own_absent  (effect == ATTEMPTED && epoch == mine && k == newest) /* thought absent, and nothing called since: whoever has the run may end it */
#define no_counts   (unsettled && (without(ABSENT_NO) || attempt[k] != ABSENT || own_absent) && (without(LATEST_NO) || k != newest || caller <= mine))
#define surely_not  ((without(CALL_ENDED) || ended) && (without(LIST_SETTLED) || !lagging) && !listed)

inline move_pause(to) {
    hold(FINAL, pause == WAITING || (pause == APPROVED && (to == EXECUTED || to == NOT_DONE || to == CANCELLED || to == VOIDED)));
    pause = to;
    hold(REFUSED, charges == 0 || !refused)
}
inline move_effect(to) { hold(FINAL, !settled); effect = to }
inline settle(to, of_pause, of_run) {
    move_effect(to);
    over = false; late = false; halted = false; tries = 0; caller = 0; /* nobody looks at them any more */
    if :: pause == APPROVED -> move_pause(of_pause) :: else fi;
    if
    :: wanted && (run_is == RUNNING || run_is == QUEUED || run_is == STOPPED) -> run_is = FINISHED; wanted = false
    :: !wanted && !without(RESOLVE) && run_is == STOPPED -> run_is = of_run
    :: else
    fi
}
inline decide(to) {
    winners++;
    hold(WINNER, winners == 1);
    move_pause(to);
    if :: !without(WAKE) && run_is == AWAITING -> run_is = QUEUED :: else fi
}
inline new_attempt() {
    hold(RIGHT, !wanted && !halted && !late);
    k = keys; keys++; attempt[k] = OPEN; tries = 1; caller = mine; ended = false; over = false
}
inline take(key) {            /* the provider does what a key asks for, unless it remembers that it did */
    if
    :: known[key]
    :: else -> charges++; known[key] = true; lagging = true; hold(ONCE, charges == 1); hold(REFUSED, !refused)
    fi
}
inline forget() { k = 0; again = false }
#define KILLED atomic { losses < MOST_LOSSES -> losses++; if :: mine == epoch -> dead = true :: else fi; mine = 0; forget(); goto idle }

active [2] proctype worker() {
    byte mine, k;             /* its epoch; the attempt in its hands */
    bool again;               /* its call is a repeat */
idle:
end:
    atomic {
        if
        :: run_is == QUEUED && (epoch > 0 || _pid == 0) /* they are alike: the first goes first */
        :: run_is == RUNNING && dead
        :: run_is == RUNNING && !dead && losses < MOST_LOSSES -> losses++ /* it lives, and its lease ran out all the same */
        fi;
        epoch++; mine = epoch; run_is = RUNNING; dead = false
    }
look:
    if
    :: atomic {
           if
           :: epoch != mine || run_is != RUNNING -> mine = 0; goto idle
           :: else -> if
               :: effect == ATTEMPTED && !without(ONE_EFFECT) -> goto reconcile
               :: else -> if :: pause == APPROVED -> goto begin :: else -> run_is = FINISHED; mine = 0; goto idle fi
               fi
           fi }
    :: KILLED
    fi;
begin:
    if
    :: atomic {
           if
           :: without(LEDGER_FIRST) && keys < KEYS -> k = keys; keys++; on_way[k]++; goto sent
           :: !without(LEDGER_FIRST) && may_begin && keys < KEYS -> if
               :: halted && !without(BEGIN_HALTED) -> goto look /* stands still until it is over */
               :: late && !without(BEGIN_LATE) && (!halted || without(BEGIN_HALTED)) -> goto void
               :: else -> move_effect(ATTEMPTED); new_attempt(); goto call
               fi
           :: else -> goto look
           fi }
    :: KILLED
    fi;
void:
    if
    :: atomic {
           if
           :: epoch == mine && run_is == RUNNING && !open && (pause == WAITING || pause == APPROVED) -> late = false; halted = false; move_pause(VOIDED)
           :: else
           fi;
           goto look }
    :: KILLED
    fi;
call:
    if
    :: atomic {
           if
           :: without(PROMPT) || (k == newest && !ended) -> on_way[k]++; goto sent
           :: else -> forget(); goto reconcile
           fi }
    :: KILLED
    fi;
sent:
    if
    :: atomic { on_way[k] > 0 -> on_way[k]--; take(k); again = false; goto receipt }
    :: atomic { on_way[k] > 0 -> on_way[k]--; if :: again && !without(REPEAT_NO) -> again = false; goto lookup :: else -> again = false; goto no fi }
    :: atomic { true -> forget(); goto reconcile } /* no answer: what is on its way may still arrive */
    :: KILLED
    fi;
receipt:
    if
    :: atomic {
           if
           :: yes_counts -> settle(DONE, EXECUTED, QUEUED)
           :: else
           fi;
           hold(RECEIPT, effect == DONE || effect == ABANDONED);
           forget(); goto look }
    :: KILLED
    fi;
no:
    if
    :: atomic {
           if
           :: no_counts -> settle(FAILED, NOT_DONE, QUEUED)
           :: else
           fi;
           forget(); goto look }
    :: KILLED
    fi;
doubt:
    if
    :: atomic {
           if
           :: unsettled && effect != IN_DOUBT && attempt[k] != ABSENT ->
                  attempt[k] = UNKNOWN; move_effect(IN_DOUBT);
                  if :: run_is == RUNNING || run_is == QUEUED -> run_is = STOPPED :: else fi
           :: else
           fi;
           forget(); goto look }
    :: KILLED
    fi;
reconcile:
    if
    :: atomic {
           if
           :: effect != ATTEMPTED -> goto look
           :: else -> k = newest; if
               :: attempt[k] == OPEN -> if :: goto repeat :: goto lookup fi
               :: else -> if :: listed -> goto receipt :: else -> goto anew fi /* a person said that it did not happen */
               fi
           fi }
    :: KILLED
    fi;
repeat:
    if
    :: atomic {
           if
           :: !may_repeat -> forget(); goto look
           :: else -> if
               :: wanted && !without(REPEAT_WANTED) -> goto lookup
               :: halted && !without(REPEAT_HALTED) && (!wanted || without(REPEAT_WANTED)) -> forget(); goto look
               :: else -> if
                   :: (without(WINDOW) || !over) && tries < MOST_CALLS ->
                          hold(RIGHT, !wanted && !halted);
                          tries++; caller = mine; ended = false; again = true; goto call
                   :: else -> goto lookup
                   fi
               fi
           fi }
    :: KILLED
    fi;
lookup:
    if
    :: atomic { listed -> goto receipt }
    :: atomic { surely_not -> if :: goto no :: goto anew fi }
    :: atomic { true -> if :: without(ASK) -> goto anew :: else -> goto doubt fi } /* it could not say, or cannot be asked */
    :: KILLED
    fi;
anew:
    if
    :: atomic {
           if
           :: !may_replace -> forget(); goto look
           :: else -> if
               :: wanted && !without(ANEW_WANTED) -> k = newest; goto no
               :: halted && !without(ANEW_HALTED) && (!wanted || without(ANEW_WANTED)) -> forget(); goto look
               :: late && !without(ANEW_LATE) && !wanted && !halted -> k = newest; goto no
               :: else -> if
                   :: keys < KEYS -> if :: attempt[newest] == OPEN -> attempt[newest] = ABSENT :: else fi; new_attempt(); goto call
                   :: else -> k = newest; goto no
                   fi
               fi
           fi }
    :: KILLED
    fi
}

active proctype approvers() { /* any number of them, and as many clicks as they like */
end:
    do
    :: atomic { without(WAITS) || pause == WAITING -> if :: decide(APPROVED) :: decide(DENIED) fi }
    od
}
active proctype sweeper() {
end:
    do
    :: atomic { without(WAITS) || pause == WAITING -> decide(EXPIRED) }
    od
}
active proctype requester() {
end:
    do
    :: atomic { pause == WAITING -> decide(CANCELLED) }
    :: atomic { (pause == APPROVED || (without(LIVE) && pause != WAITING)) && (without(NOTHING_OPEN) || !open) -> move_pause(CANCELLED) }
    :: atomic {                                   /* or the whole run */
           NARROWS && run_is != FINISHED && !wanted -> if
           :: open && !without(NOTED) -> wanted = true
           :: else ->
                  if :: pause == WAITING -> decide(CANCELLED) :: pause == APPROVED -> move_pause(CANCELLED) :: else fi;
                  run_is = FINISHED
           fi }
    od
}
active proctype operator() {
end:
    do
    :: atomic { !halted && halts < MOST_HALTS && pause == APPROVED -> halts++; halted = true }
    :: halted -> halted = false
    od
}
active [PEOPLE] proctype people() {
    bool happened;
    byte about;               /* the attempt of which they were asked */
end:
    do
    :: atomic { effect == IN_DOUBT && (without(PATIENCE) || (ended && !lagging)) -> happened = charges > 0; about = newest }; /* looks, then answers */
       atomic {
           if
           :: effect != IN_DOUBT && !without(IN_DOUBT_ONLY)
           :: (effect == IN_DOUBT || without(IN_DOUBT_ONLY)) && attempt[about] != UNKNOWN && !without(SAME_DOUBT)
           :: else -> if
               :: happened -> settle(DONE, EXECUTED, QUEUED)
               :: !happened && wanted -> settle(FAILED, NOT_DONE, FINISHED)
               :: !happened && !wanted && retries < MOST_RETRIES ->
                      retries++; move_effect(ATTEMPTED);
                      if :: attempt[newest] == UNKNOWN -> attempt[newest] = ABSENT :: else fi;
                      if :: run_is == STOPPED -> run_is = QUEUED :: else fi
               :: !happened -> settle(ABANDONED, NOT_DONE, FINISHED)
               fi
           fi;
           happened = false; about = 0 }
    :: atomic { effect == IN_DOUBT -> settle(ABANDONED, NOT_DONE, FINISHED) } /* ends it without looking */
    :: effect == IN_DOUBT -> break                /* never answers */
    od
}
active proctype outside() {
    byte i;
end:
    do
    :: atomic {
           if :: on_way[0] > 0 :: on_way[1] > 0 -> i = 1 :: on_way[2] > 0 -> i = 2 fi;
           on_way[i]--;
           if :: take(i) :: true /* it never arrives, or is refused */ fi;
           i = 0 }
    :: lagging -> lagging = false
    :: atomic { keys > 0 && !ended && on_way[newest] == 0 -> ended = true }
    :: atomic { open && !over -> over = true }
    :: atomic { NARROWS && pause == APPROVED && !settled && !late -> late = true }
    :: atomic { open && over && ended && known[newest] -> known[newest] = false }
    od
}
active proctype rest() {
    timeout;
    hold(AWAKE, run_is == FINISHED || (run_is == STOPPED && effect == IN_DOUBT));
    hold(RECEIPT, charges == 0 || effect == DONE || effect == IN_DOUBT || effect == ABANDONED);
    hold(WINNER, winners == 1)
}
