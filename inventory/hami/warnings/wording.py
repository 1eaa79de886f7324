"""The warnings in English: templates whose names in braces are the values of a warning.

Nothing else has these texts, so that whoever shows them in another language translates them by code.
"""

from collections.abc import Mapping

import msgspec

from inventory.hami.warnings.warning import Code, ConversionWarning


class Wording(msgspec.Struct, frozen=True):
    """`before` is what HAMi did, `after` what happens under DRA, `write` what to write, beside the YAML."""

    title: str
    before: str
    after: str
    write: str


def worded(warning: ConversionWarning, wordings: Mapping[Code, Wording] | None = None) -> Wording:
    """The texts with the values filled in."""
    found = (wordings or ENGLISH)[warning.code]
    values = dict(warning.values)
    return Wording(*(text.format_map(values) for text in msgspec.structs.astuple(found)))


ENGLISH: Mapping[Code, Wording] = {
    Code.COUNT_ZERO: Wording(
        "None becomes one",
        "“{resource}: {given}” gives the container no card.",
        "A claim for no device is stored as one for a whole device, which the container gets.",
        "Leave the resource out where no card is wanted.",
    ),
    Code.COUNT_ROUNDED: Wording(
        "A part of a card is no count",
        "Kubernetes takes whole numbers only for {resource} and refuses the Pod.",
        "The webhook rounds “{given}” up: the container gets {count}.",
        "The whole number that is meant.",
    ),
    Code.TOO_MANY_RESULTS: Wording(
        "More devices than a claim may hold",
        "Gives {given} cards where a node has as many.",
        "An allocation holds at most {most} devices: there never is one, and the Pod waits for ever.",
        "At most {most} for one container, or several containers.",
    ),
    Code.MEMORY_SUFFIX: Wording(
        "The suffix counts mebibytes",
        "Reads “{given}” as {mebibytes} MiB.",
        "The same: {mebibytes} MiB, {bytes} in bytes. A suffix does not turn the amount into bytes.",
        "The plain number of MiB, which nobody misreads.",
    ),
    Code.MEMORY_SUFFIX_HUGE: Wording(
        "The amount is in mebibytes already",
        "Reads “{given}” as {mebibytes} MiB, too, and counts in 32 bits, which such a number overflows.",
        "Asks for {bytes} of memory. No card has as much: the Pod waits for ever.",
        "The number of MiB.",
    ),
    Code.MEMORY_OVERFLOWS: Wording(
        "The amount overflows",
        "Counts in 32 bits, which “{given}” overflows.",
        "The bytes do not fit 64 bits: the claim asks for {bytes}, which is not what is written.",
        "The number of MiB.",
    ),
    Code.MEMORY_ZERO: Wording(
        "No memory is no longer all memory",
        "Takes “{resource}: {given}” for not set: the whole memory of the card.",
        "Asks for nothing: the driver rounds up to the least that it gives, 1 MiB with most.",
        "Leave the resource out for the whole card, or write how many MiB.",
    ),
    Code.MEMORY_NEGATIVE: Wording(
        "A negative amount is taken",
        "Kubernetes refuses “{resource}: {given}”.",
        "The claim is taken, and the driver gives the least that it gives, 1 MiB with most.",
        "How many MiB are needed.",
    ),
    Code.MEMORY_ROUNDED: Wording(
        "A part of a mebibyte is rounded up",
        "Does not take “{given}” for an amount: counts as if none were written, or refuses the Pod.",
        "Rounds up to {mebibytes} MiB.",
        "A whole number of MiB.",
    ),
    Code.MEMORY_ABOVE_EVERY_CARD: Wording(
        "No card has as much memory",
        "May give more memory than a card has, where its memory scaling is above 1.",
        "Counts the memory that a card has. The largest of {driver} has {largest} MiB: "
        "the Pod waits for ever.",
        "At most {largest} MiB.",
    ),
    Code.CORES_TAKE_ALL: Wording(
        "Cores are not written down",
        "Counts 0 cores; up to {sharers} Pods share the card.",
        "Counts the driver’s default, {all} %. No second Pod fits beside it.",
        "0 as before, or the percentage to reserve.",
    ),
    Code.CORES_ABOVE_ALL: Wording(
        "More cores than a card has",
        "Cuts “{given}” to 100 or finds no card, depending on the vendor.",
        "No card has more than 100: the Pod waits for ever.",
        "At most 100.",
    ),
    Code.CORES_ROUNDED: Wording(
        "A part of a percent is rounded up",
        "Does not take “{given}” for an amount: counts as if none were written, or refuses the Pod.",
        "The driver rounds up to {cores}.",
        "A whole number.",
    ),
    Code.CORES_NEGATIVE: Wording(
        "A negative amount is taken",
        "Kubernetes refuses “{resource}: {given}”.",
        "The claim is taken and counts no cores.",
        "A percentage from 0 to 100.",
    ),
    Code.CORES_NOT_EXCLUSIVE: Wording(
        "All cores are not the whole card",
        "Keeps a card with 100 cores for one Pod alone.",
        "A Pod that asks for 0 cores and for the memory left may share the card.",
        "Leave the memory out, too: then the claim takes all of it.",
    ),
    Code.UNITS_OF_ONE_REFERENCE: Wording(
        "Percent become compute units of one reference card",
        "Takes {given} % of whatever card it is.",
        "Asks for {units} compute units, of a card with {reference}. On another model that is another share.",
        "Nothing, where all cards have {reference} compute units.",
    ),
    Code.UNITS_NOT_CONFIGURED: Wording(
        "The webhook does not know how many compute units a card has",
        "Takes {given} % of whatever card it is.",
        "The webhook refuses the Pod until its configuration says how many compute units a card has.",
        "In the configuration of the webhook, not in the Pod.",
    ),
    Code.CHIP_NOT_SELECTED: Wording(
        "The name of the chip selects nothing",
        "Gives an {chip}, and no other chip.",
        "The claim asks for any Ascend card of this driver.",
        "The model, as the driver publishes it.",
    ),
    Code.OTHER_CHIPS_HERE: Wording(
        "The name of the chip selects nothing",
        "Gives an {chip}, and no other chip.",
        "The claim asks for any Ascend card of this driver. Cards here are called {models}.",
        "The model, as the driver publishes it.",
    ),
    Code.CORES_OF_TEMPLATE: Wording(
        "Cores are not written down",
        "Gives the {cores} AI cores of a template, and the others to other Pods.",
        "Counts the driver’s default, all of them. No second Pod fits beside it.",
        "The percentage that the template stands for.",
    ),
    Code.TEMPLATE_NOT_TAKEN: Wording(
        "No template is cut",
        "Rounds “{given}” up to a template of the chip: {given_by_hami} MiB, with its AI cores.",
        "Takes the amount as it is written.",
        "The amount that the Pod has had so far.",
    ),
    Code.TEMPLATE_REFUSED: Wording(
        "More memory than HAMi gives",
        "Refuses “{given}”: the chip has {capacity} MiB.",
        "The webhook takes any amount; a claim for more than a card has waits for ever.",
        "At most what a card has.",
    ),
    Code.MODULES_OF_TWO: Wording(
        "Cards are not given in twos",
        "Gives the two of a module: 1 becomes 2, any other odd number is refused.",
        "Gives {given}.",
        "An even number, to have whole modules.",
    ),
    Code.SLICES_OF_SEVERAL: Wording(
        "Parts of several cards",
        "Refuses parts of more than one card.",
        "Gives {given} cards, the amount of memory on each.",
        "Nothing, if that is meant.",
    ),
    Code.RUNTIME_CLASS: Wording(
        "The runtime class is not set",
        "Its webhook sets the runtime class of Ascend.",
        "Nobody sets it: without the Ascend runtime the container does not see its card.",
        "The runtime class in the Pod’s spec.",
    ),
    Code.TYPE_IS_WHOLE: Wording(
        "The card type is matched whole, not in part",
        "Compares any part of the type, in capital letters or small.",
        "productName must equal one of “{given}”.",
        "The product names as the driver publishes them.",
    ),
    Code.TYPE_MATCHES_NONE: Wording(
        "The card type is matched whole, not in part",
        "Takes any card whose type contains “{given}”.",
        "productName must equal “{given}”. Cards here are called {models}, so none fits and the Pod waits.",
        "The product names as the driver publishes them.",
    ),
    Code.TYPE_MATCHES_FEWER: Wording(
        "The card type is matched whole, not in part",
        "Takes any card whose type contains “{given}”.",
        "productName must equal one of “{given}”. {models} will not be taken any more.",
        "All product names that may be taken.",
    ),
    Code.TYPE_EXCLUDES_LESS: Wording(
        "The excluded type is matched whole, not in part",
        "Passes over any card whose type contains “{given}”.",
        "Passes over cards called exactly so. {models} may be taken now.",
        "All product names to be passed over.",
    ),
    Code.TYPE_NEWLY_READ: Wording(
        "An annotation that HAMi does not read",
        "Chooses Ascend cards by the name of the resource, and does not read {annotation}.",
        "productName must be as “{given}” says.",
        "Nothing, if that is meant.",
    ),
    Code.TYPE_EMPTY: Wording(
        "An empty choice of types is refused",
        "Takes “{annotation}: {given}” for no choice: any type will do.",
        "The webhook refuses the Pod; its version 0.0.1 asks for a card without a name, and the Pod waits.",
        "Leave the annotation out.",
    ),
    Code.UUID_EMPTY: Wording(
        "An empty choice of cards is refused",
        "Looks for a card with an empty UUID: for a choice no card fits, for an exclusion every card does.",
        "The webhook refuses the Pod; its version 0.0.1 asks for a card without a UUID, and the Pod waits.",
        "Leave the annotation out.",
    ),
    Code.UUID_PREFIX: Wording(
        "UUIDs have no prefix any more",
        "Its device plugin calls a card HCU- and the serial number.",
        "The DRA driver publishes the serial number alone, so “{given}” names no card.",
        "The UUIDs without HCU-.",
    ),
    Code.UUID_UNKNOWN: Wording(
        "No card has this UUID",
        "Waits for the card, too, unless its device plugin calls it so.",
        "{driver} publishes no card {uuids}.",
        "A UUID that the resource slices show.",
    ),
    Code.LIST_NOT_SPLIT: Wording(
        "A list is taken for one name",
        "Takes “{given}” for several, divided by commas.",
        "Version 0.0.1 of the webhook looks for one card with all of it as its name: the Pod waits for ever.",
        "One value, or a newer version of the webhook.",
    ),
    Code.EXCLUSION_DROPPED: Wording(
        "An exclusion is not read",
        "Passes over the cards that {annotation} names.",
        "Version 0.0.1 of the webhook does not read it: these cards may be taken.",
        "A newer version of the webhook.",
    ),
    Code.ANNOTATION_DROPPED: Wording(
        "An annotation is not read any more",
        "Follows “{annotation}: {given}”.",
        "Neither the webhook nor the scheduler reads it.",
        "Leave it out; selectors and constraints of a claim say some of it.",
    ),
    Code.PERCENTAGE_LEFT: Wording(
        "A percentage of memory is not converted",
        "Gives {given} % of the memory of whatever card it is.",
        "The webhook leaves {resource} in the Pod, and no node has it to give: the Pod waits for ever.",
        "An amount in MiB, which is another one for each model of card.",
    ),
    Code.PRIORITY_LEFT: Wording(
        "The priority is not converted",
        "Tells its library in the container, by an environment variable.",
        "The webhook leaves {resource} in the Pod, and no node has it to give: the Pod waits for ever.",
        "The variable itself.",
    ),
    Code.WITHOUT_COUNT: Wording(
        "Nothing is converted without a count of cards",
        "Takes one card where {names} are given without a count.",
        "The webhook leaves {names} in the Pod, and no node has them to give: the Pod waits for ever.",
        "The count of cards.",
    ),
    Code.ONLY_REQUESTED: Wording(
        "Requests without limits are not converted",
        "Looks at requests where there is no limit.",
        "The webhook looks at limits alone. {names} stay in the requests, where Kubernetes refuses them "
        "without a limit, or no node has them to give.",
        "The same under limits.",
    ),
    Code.INIT_CONTAINER: Wording(
        "Init containers are not converted",
        "Gives init containers their cards, too.",
        "The webhook leaves {names} in the Pod, and no node has them to give: the Pod waits for ever.",
        "No cards for init containers, or a claim of your own that they name.",
    ),
    Code.EPHEMERAL_CONTAINER: Wording(
        "Ephemeral containers have no resources",
        "Kubernetes refuses {names} in an ephemeral container.",
        "The same.",
        "No resources in ephemeral containers.",
    ),
    Code.OTHER_VENDOR: Wording(
        "Cards of this vendor are not converted",
        "Gives cards of {vendor}.",
        "The webhook is not configured for {vendor} and leaves {names} in the Pod: it waits for ever, unless "
        "HAMi’s own scheduler and device plugin still run.",
        "Keep these Pods with HAMi, or a claim for the vendor’s own driver where there is one.",
    ),
    Code.MAY_SHARE_ONE_CARD: Wording(
        "Two claims may be given one card",
        "Looks at the containers one after the other, and may give them one card as well.",
        "{containers} have {claims} claims of {driver}; nothing keeps them apart. The devices of one request "
        "always differ.",
        "One claim with a request for each container, and a constraint where the cards have to differ.",
    ),
    Code.CLAIMS_OVERWRITTEN: Wording(
        "The container’s own claims are lost",
        "Leaves the claims of a container alone.",
        "Version 0.0.1 of the webhook replaces {claims} by its own claim.",
        "A newer version of the webhook.",
    ),
    Code.NODE_NAME: Wording(
        "A Pod that is on a node already",
        "Refuses Pods whose node is given.",
        "No scheduler looks at the Pod, so nobody allocates its claims, and {node} does not start it.",
        "A node selector in its place.",
    ),
    Code.PRIVILEGED: Wording(
        "A privileged container",
        "Refuses privileged containers that ask for cards.",
        "Converts them; a privileged container sees every card of its node, whatever it was given.",
        "Not privileged.",
    ),
    Code.OTHER_SCHEDULER: Wording(
        "Another scheduler",
        "{scheduler} places the Pod.",
        "The webhook leaves that as it is. {scheduler} has to allocate claims, with shares of devices.",
        "The scheduler of the cluster, unless {scheduler} does.",
    ),
    Code.HAMI_RECORDS: Wording(
        "Records of HAMi’s scheduler",
        "Writes into the Pod what it was given: {names}.",
        "Nobody reads or writes them for a claim; monitors that read them do not see the new Pod.",
        "Leave them out of the manifest.",
    ),
    Code.CLASS_MISSING: Wording(
        "The device class is missing",
        "Needs no device class.",
        "The cluster has no device class {class}: the Pod waits for ever.",
        "Install the DRA driver, which brings it along.",
    ),
    Code.CLASS_ANSWERS_TO_RESOURCE: Wording(
        "Two ways to one card",
        "Its own scheduler places the Pod.",
        "Class {class} also answers to {resource}: where the webhook does not see a Pod, Kubernetes makes a "
        "claim for whole cards of it.",
        "A class without extendedResourceName, while the webhook converts.",
    ),
    Code.BOTH_WAYS: Wording(
        "Two ways to one card",
        "Its own scheduler places the Pod, and its device plugin hands out {resource}.",
        "Nodes still have {resource} to give. Both webhooks see the Pod, and each counts its own Pods only: "
        "a card may be given twice.",
        "The label, while both run; and no card in both.",
    ),
    Code.SHARING_OFF: Wording(
        "The cluster does not share devices",
        "Shares cards.",
        "The gate DRAConsumableCapacity is off: memory and cores of a claim are dropped, "
        "and it takes the whole card.",
        "The gate on the API server, the scheduler and the kubelets.",
    ),
    Code.QUOTA_NOT_COUNTED: Wording(
        "The quota does not count claims",
        "{quotas} limit what the namespace takes.",
        "Claims are not counted there; a quota on the device class counts devices, not their memory.",
        "A quota on the device class.",
    ),
}
