"""Why something is as it is: words with places for names and numbers, in English, translated by faces."""

from enum import StrEnum

from inventory.texts import marked


class Reason(StrEnum):
    """A place called `reason` or `reasons` holds other reasons of these."""

    # Of pools
    SLICES_DISAGREE = marked("slices of generation {generation} disagree on resourceSliceCount: {counts}")
    SLICES_MISSING = marked("{seen} of {expected} slices of generation {generation} are published")
    SLICE_WITHOUT_NODES = marked("the slice {name} names no nodes, so the scheduler leaves it out")
    DEVICE_TWICE = marked("the device name {name} is used twice")
    COUNTER_SET_TWICE = marked("the counter set {name} is defined twice")
    COUNTER_UNDEFINED = marked("{name} draws on counter {counter}, which no slice defines")
    POOL_UNPUBLISHED = marked("no slice publishes this pool")
    POOL_INCOMPLETE = marked("pool incomplete: {reason}")
    POOL_INCONSISTENT = marked("pool inconsistent: {reason}")
    POOL_INVALID = marked("pool invalid: {reason}")
    POOL_NOT_PUBLISHED = marked("pool not_published: {reason}")
    # Of devices and cards
    CLAIMS_NEVER_READ = marked("resource claims were never read")
    SLICES_NEVER_READ = marked("resource slices were never read")
    UNLISTED = marked("no current slice lists the device")
    UNLISTED_AND_HELD = marked("no current slice lists the device, claims still hold it")
    DIMENSION_GONE = marked("the device no longer publishes this dimension")
    HELD_WHOLE_TWICE = marked("{number} claims each hold the whole device")
    HELD_WHOLE_AND_SHARED = marked("one claim holds the whole device while others hold shares of it")
    OVER_ALLOCATED = marked("over-allocated: {reasons}")
    OVER_BY = marked("{dimension} by {amount}")
    TAINTED = marked("tainted: {taint}")
    # Of counters
    COUNTER_OVERDRAWN = marked("counter {counter} is over-drawn by {amount}")
    COUNTER_UNREADABLE = marked("counter {counter} cannot be read")
    COUNTER_SHORT = marked("counter {counter}: {needed} needed, {left} left")
    QUANTITY_UNREADABLE = marked("a quantity cannot be read")
    BELOW_ZERO = marked("{quantity} is below zero")
    # Of shares
    SHARE_UNREADABLE = marked("a share's consumed capacity cannot be read")
    CONSUMED_UNREADABLE = marked("consumed capacity cannot be read")
    CONSUMED_UNREADABLE_IN = marked("consumed capacity cannot be read: {values}")
    CONSUMED_UNSTATED = marked(
        "the allocation states no consumed capacity; the scheduler counts nothing for this share"
    )
    # Of what is pending
    CLASS_MISSING = marked("No DeviceClass of this name is in the cluster: {names}.")
    NO_CONSUMER = marked(
        "No Pod uses this claim yet; a claim is allocated when a Pod that uses it is scheduled."
    )
    PODS_NOT_SCHEDULED = marked("The scheduler has not said anything yet about the Pods that use this claim.")
    PODS_NOT_SCHEDULED_NAMED = marked(
        "The scheduler has not said anything yet about the Pods that use this claim: {names}."
    )
    POD_NOT_SCHEDULED = marked("The scheduler has not said anything yet about this Pod.")
    # Of sums that are measured against a quota
    SHARES_UNREADABLE = marked("shares that say nothing of how much they hold")
    SHARES_AMOUNT_UNKNOWN = marked("shares whose amount cannot be read")
    SHARES_OF_GONE_DEVICE = marked("shares of a whole device that was not published")
    UNITS_DIFFER = marked("amounts of different units cannot be added up: limit a single driver")
    # Of a part of a card
    NOTHING_COUNTED = marked("its shares name no capacity")
    PART_UNREADABLE = marked("a share of it says nothing of how much it holds")
    PART_TOO_FINE = marked("its part of the card needs more than 64 bits")
    AMOUNTS_UNKNOWN = marked("amounts are not known of {names}")
    # Of what a request would take
    SINGLE_DEVICES = marked("its selectors hold for no device that was tried; they may choose single ones")
    ITS_CLASS_MISSING = marked("its device class is not in the cluster")
    NOT_SELECTABLE = marked("a selector of it cannot be evaluated")
    ALL_DEVICES = marked("it asks for all devices of its class")
    NO_DEVICE = marked("no device that was read is of its class and has so much")
    ANY_SET = marked("it may get devices inside and outside of the quota")
    AMOUNTS_DIFFER = marked("the devices that it could get give different amounts")
    # Of a card by one of its devices, or of whatever has a name: these could be read into almost any other.
    OF_SEVERAL = marked("{name} and {number} more: {reason}")
    OF_DEVICE = marked("{name}: {reason}")
