"""The warnings in English: templates whose names in braces are the values of a warning.

Nothing else has these texts, so that whoever shows them in another language translates them by code.
"""

from collections.abc import Mapping

import msgspec

from inventory.hami.warnings.warning import Code, ConversionWarning
from inventory.texts import marked


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
        marked("None becomes one"),
        marked("“{resource}: {given}” gives the container no card."),
        marked("A claim for no device is stored as one for a whole device, which the container gets."),
        marked("Leave the resource out where no card is wanted."),
    ),
    Code.COUNT_ROUNDED: Wording(
        marked("A part of a card is no count"),
        marked("Kubernetes takes whole numbers only for {resource} and refuses the Pod."),
        marked("The webhook rounds “{given}” up: the container gets {count}."),
        marked("The whole number that is meant."),
    ),
    Code.TOO_MANY_RESULTS: Wording(
        marked("More devices than a claim may hold"),
        marked("Gives {given} cards where a node has as many."),
        marked("An allocation holds at most {most} devices: there never is one, and the Pod waits for ever."),
        marked("At most {most} for one container, or several containers."),
    ),
    Code.MEMORY_SUFFIX: Wording(
        marked("The suffix counts mebibytes"),
        marked("Reads “{given}” as {mebibytes} MiB."),
        marked("The same: {mebibytes} MiB, {bytes} in bytes. A suffix does not turn the amount into bytes."),
        marked("The plain number of MiB, which nobody misreads."),
    ),
    Code.MEMORY_SUFFIX_HUGE: Wording(
        marked("The amount is in mebibytes already"),
        marked(
            "Reads “{given}” as {mebibytes} MiB, too, and counts in 32 bits, which such a number overflows."
        ),
        marked("Asks for {bytes} of memory. No card has as much: the Pod waits for ever."),
        marked("The number of MiB."),
    ),
    Code.MEMORY_OVERFLOWS: Wording(
        marked("The amount overflows"),
        marked("Counts in 32 bits, which “{given}” overflows."),
        marked("The bytes do not fit 64 bits: the claim asks for {bytes}, which is not what is written."),
        marked("The number of MiB."),
    ),
    Code.MEMORY_ZERO: Wording(
        marked("No memory is no longer all memory"),
        marked("Takes “{resource}: {given}” for not set: the whole memory of the card."),
        marked("Asks for nothing: the driver rounds up to the least that it gives, 1 MiB with most."),
        marked("Leave the resource out for the whole card, or write how many MiB."),
    ),
    Code.MEMORY_NEGATIVE: Wording(
        marked("A negative amount is taken"),
        marked("Kubernetes refuses “{resource}: {given}”."),
        marked("The claim is taken, and the driver gives the least that it gives, 1 MiB with most."),
        marked("How many MiB are needed."),
    ),
    Code.MEMORY_ROUNDED: Wording(
        marked("A part of a mebibyte is rounded up"),
        marked("Does not take “{given}” for an amount: counts as if none were written, or refuses the Pod."),
        marked("Rounds up to {mebibytes} MiB."),
        marked("A whole number of MiB."),
    ),
    Code.MEMORY_ABOVE_EVERY_CARD: Wording(
        marked("No card has as much memory"),
        marked("May give more memory than a card has, where its memory scaling is above 1."),
        marked(
            "Counts the memory that a card has. The largest of {driver} has {largest} MiB: the Pod waits for "
            "ever."
        ),
        marked("At most {largest} MiB."),
    ),
    Code.CORES_TAKE_ALL: Wording(
        marked("Cores are not written down"),
        marked("Counts 0 cores; up to {sharers} Pods share the card."),
        marked("Counts the driver’s default, {all} %. No second Pod fits beside it."),
        marked("0 as before, or the percentage to reserve."),
    ),
    Code.CORES_ABOVE_ALL: Wording(
        marked("More cores than a card has"),
        marked("Cuts “{given}” to 100 or finds no card, depending on the vendor."),
        marked("No card has more than 100: the Pod waits for ever."),
        marked("At most 100."),
    ),
    Code.CORES_ROUNDED: Wording(
        marked("A part of a percent is rounded up"),
        marked("Does not take “{given}” for an amount: counts as if none were written, or refuses the Pod."),
        marked("The driver rounds up to {cores}."),
        marked("A whole number."),
    ),
    Code.CORES_NEGATIVE: Wording(
        marked("A negative amount is taken"),
        marked("Kubernetes refuses “{resource}: {given}”."),
        marked("The claim is taken and counts no cores."),
        marked("A percentage from 0 to 100."),
    ),
    Code.CORES_NOT_EXCLUSIVE: Wording(
        marked("All cores are not the whole card"),
        marked("Keeps a card with 100 cores for one Pod alone."),
        marked("A Pod that asks for 0 cores and for the memory left may share the card."),
        marked("Leave the memory out, too: then the claim takes all of it."),
    ),
    Code.UNITS_NEGATIVE: Wording(
        marked("A negative amount is taken"),
        marked("Kubernetes refuses “{resource}: {given}”."),
        marked("The claim is taken and asks for one compute unit."),
        marked("A percentage from 0 to 100."),
    ),
    Code.UNITS_OF_ONE_REFERENCE: Wording(
        marked("Percent become compute units of one reference card"),
        # xgettext:no-python-format
        marked("Takes {given} % of whatever card it is."),
        marked(
            "Asks for {units} compute units, of a card with {reference}. On another model that is another "
            "share."
        ),
        marked("Nothing, where all cards have {reference} compute units."),
    ),
    Code.UNITS_NOT_CONFIGURED: Wording(
        marked("The webhook does not know how many compute units a card has"),
        marked("Takes {given} % of whatever card it is."),
        marked("The webhook refuses the Pod until its configuration says how many compute units a card has."),
        marked("In the configuration of the webhook, not in the Pod."),
    ),
    Code.CHIP_NOT_SELECTED: Wording(
        marked("The name of the chip selects nothing"),
        marked("Gives an {chip}, and no other chip."),
        marked("The claim asks for any Ascend card of this driver."),
        marked("The model, as the driver publishes it."),
    ),
    Code.OTHER_CHIPS_HERE: Wording(
        marked("The name of the chip selects nothing"),
        marked("Gives an {chip}, and no other chip."),
        marked("The claim asks for any Ascend card of this driver. Cards here are called {models}."),
        marked("The model, as the driver publishes it."),
    ),
    Code.CORES_OF_TEMPLATE: Wording(
        marked("Cores are not written down"),
        marked("Gives the {cores} AI cores of a template, and the others to other Pods."),
        marked("Counts the driver’s default, all of them. No second Pod fits beside it."),
        marked("The percentage that the template stands for."),
    ),
    Code.TEMPLATE_NOT_TAKEN: Wording(
        marked("No template is cut"),
        marked("Rounds “{given}” up to a template of the chip: {given_by_hami} MiB, with its AI cores."),
        marked("Takes the amount as it is written."),
        marked("The amount that the Pod has had so far."),
    ),
    Code.WHOLE_CARD_GIVEN: Wording(
        marked("HAMi gives the whole card"),
        marked(
            "Gives “{given}” MiB and more than its largest template as a whole card: {given_by_hami} MiB, "
            "all AI cores."
        ),
        marked("Takes the amount as it is written, and all cores; the rest of the memory goes to others."),
        marked("Leave the memory out for the whole card."),
    ),
    Code.TEMPLATE_REFUSED: Wording(
        marked("More memory than HAMi gives"),
        marked("Refuses “{given}”: the chip has {capacity} MiB."),
        marked("The webhook takes any amount; a claim for more than a card has waits for ever."),
        marked("At most what a card has."),
    ),
    Code.MODULES_OF_TWO: Wording(
        marked("Cards are not given in twos"),
        marked("Gives the two of a module: 1 becomes 2, any other odd number is refused."),
        marked("Gives {given}."),
        marked("An even number, to have whole modules."),
    ),
    Code.SLICES_OF_SEVERAL: Wording(
        marked("Parts of several cards"),
        marked("Refuses parts of more than one card."),
        marked("Gives {given} cards, the amount of memory on each."),
        marked("Nothing, if that is meant."),
    ),
    Code.RUNTIME_CLASS: Wording(
        marked("The runtime class is not set"),
        marked("Its webhook sets the runtime class of Ascend."),
        marked("Nobody sets it: without the Ascend runtime the container does not see its card."),
        marked("The runtime class in the Pod’s spec."),
    ),
    Code.TYPE_IS_WHOLE: Wording(
        marked("The card type is matched whole, not in part"),
        marked("Compares any part of the type, in capital letters or small."),
        marked("productName must equal one of “{given}”."),
        marked("The product names as the driver publishes them."),
    ),
    Code.TYPE_MATCHES_NONE: Wording(
        marked("The card type is matched whole, not in part"),
        marked("Takes any card whose type contains “{given}”."),
        marked(
            "productName must equal “{given}”. Cards here are called {models}, so none fits and the Pod "
            "waits."
        ),
        marked("The product names as the driver publishes them."),
    ),
    Code.TYPE_MATCHES_FEWER: Wording(
        marked("The card type is matched whole, not in part"),
        marked("Takes any card whose type contains “{given}”."),
        marked("productName must equal one of “{given}”. {models} will not be taken any more."),
        marked("All product names that may be taken."),
    ),
    Code.TYPE_EXCLUDES_LESS: Wording(
        marked("The excluded type is matched whole, not in part"),
        marked("Passes over any card whose type contains “{given}”."),
        marked("Passes over cards called exactly so. {models} may be taken now."),
        marked("All product names to be passed over."),
    ),
    Code.TYPE_NEWLY_READ: Wording(
        marked("An annotation that HAMi does not read"),
        marked("Chooses Ascend cards by the name of the resource, and does not read {annotation}."),
        marked("productName must be as “{given}” says."),
        marked("Nothing, if that is meant."),
    ),
    Code.TYPE_EMPTY: Wording(
        marked("An empty choice of types is refused"),
        marked("Takes “{annotation}: {given}” for no choice: any type will do."),
        marked(
            "The webhook refuses the Pod; its version 0.0.1 asks for a card without a name, and the Pod "
            "waits."
        ),
        marked("Leave the annotation out."),
    ),
    Code.TYPE_EMPTY_NEWLY_READ: Wording(
        marked("An empty choice of types is refused"),
        marked("Chooses Ascend cards by the name of the resource, and does not read {annotation}."),
        marked(
            "The webhook refuses the Pod; its version 0.0.1 asks for a card without a name, and the Pod "
            "waits."
        ),
        marked("Leave the annotation out."),
    ),
    Code.UUID_EMPTY: Wording(
        marked("An empty choice of cards is refused"),
        marked(
            "Looks for a card with an empty UUID: for a choice no card fits, for an exclusion every card "
            "does."
        ),
        marked(
            "The webhook refuses the Pod; its version 0.0.1 asks for a card without a UUID, and the Pod "
            "waits."
        ),
        marked("Leave the annotation out."),
    ),
    Code.UUID_PREFIX: Wording(
        marked("UUIDs have no prefix any more"),
        marked("Its device plugin calls a card HCU- and the serial number."),
        marked("The DRA driver publishes the serial number alone, so “{given}” names no card."),
        marked("The UUIDs without HCU-."),
    ),
    Code.UUID_UNKNOWN: Wording(
        marked("No card has this UUID"),
        marked("Waits for the card, too, unless its device plugin calls it so."),
        marked("{driver} publishes no card {uuids}."),
        marked("A UUID that the resource slices show."),
    ),
    Code.LIST_NOT_SPLIT: Wording(
        marked("A list is taken for one name"),
        marked("Takes “{given}” for several, divided by commas."),
        marked(
            "Version 0.0.1 of the webhook looks for one card with all of it as its name: the Pod waits for "
            "ever."
        ),
        marked("One value, or a newer version of the webhook."),
    ),
    Code.EXCLUSION_DROPPED: Wording(
        marked("An exclusion is not read"),
        marked("Passes over the cards that {annotation} names."),
        marked("Version 0.0.1 of the webhook does not read it: these cards may be taken."),
        marked("A newer version of the webhook."),
    ),
    Code.ANNOTATION_DROPPED: Wording(
        marked("An annotation is not read any more"),
        marked("Follows “{annotation}: {given}”."),
        marked("Neither the webhook nor the scheduler reads it."),
        marked("Leave it out; selectors and constraints of a claim say some of it."),
    ),
    Code.PERCENTAGE_LEFT: Wording(
        marked("A percentage of memory is not converted"),
        # xgettext:no-python-format
        marked("Gives {given} % of the memory of whatever card it is."),
        marked(
            "The webhook leaves {resource} in the Pod. Where no node has it to give, it waits for ever; "
            "where one has, HAMi’s device plugin serves it as before."
        ),
        marked("An amount in MiB, which is another one for each model of card."),
    ),
    Code.PRIORITY_LEFT: Wording(
        marked("The priority is not converted"),
        marked("Tells its library in the container, by an environment variable."),
        marked(
            "The webhook leaves {resource} in the Pod. Where no node has it to give, it waits for ever; "
            "where one has, HAMi’s device plugin serves it as before."
        ),
        marked("The variable itself."),
    ),
    Code.WITHOUT_COUNT: Wording(
        marked("Nothing is converted without a count of cards"),
        marked("Takes one card where {names} are given without a count."),
        marked(
            "The webhook leaves {names} in the Pod. Where no node has them to give, it waits for ever; where "
            "one has, HAMi’s device plugin serves it as before."
        ),
        marked("The count of cards."),
    ),
    Code.ONLY_REQUESTED: Wording(
        marked("Requests without limits are not converted"),
        marked("Looks at requests where there is no limit."),
        marked(
            "The webhook looks at limits alone. {names} stay in the requests, where Kubernetes refuses them "
            "without a limit, or no node has them to give."
        ),
        marked("The same under limits."),
    ),
    Code.INIT_CONTAINER: Wording(
        marked("Init containers are not converted"),
        marked("Gives init containers their cards, too."),
        marked(
            "The webhook leaves {names} in the Pod. Where no node has them to give, it waits for ever; where "
            "one has, HAMi’s device plugin serves it as before."
        ),
        marked("No cards for init containers, or a claim of your own that they name."),
    ),
    Code.EPHEMERAL_CONTAINER: Wording(
        marked("Ephemeral containers have no resources"),
        marked("Kubernetes refuses {names} in an ephemeral container."),
        marked("The same."),
        marked("No resources in ephemeral containers."),
    ),
    Code.POD_AS_A_WHOLE: Wording(
        marked("Resources of the Pod as a whole are not converted"),
        marked("Does not look at them; Kubernetes refuses {names} there."),
        marked("The same."),
        marked("The same in the containers that use the cards."),
    ),
    Code.OTHER_VENDOR: Wording(
        marked("Cards of this vendor are not converted"),
        marked("Gives cards of {vendor}."),
        marked(
            "The webhook is not configured for {vendor} and leaves {names} in the Pod: it waits for ever, "
            "unless HAMi’s own scheduler and device plugin still run."
        ),
        marked("Keep these Pods with HAMi, or a claim for the vendor’s own driver where there is one."),
    ),
    Code.MAY_SHARE_ONE_CARD: Wording(
        marked("Two claims may be given one card"),
        marked("Looks at the containers one after the other, and may give them one card as well."),
        marked(
            "{containers} have {claims} claims of {driver}; nothing keeps them apart. The devices of one "
            "request always differ."
        ),
        marked(
            "One claim with a request for each container, and a constraint where the cards have to differ."
        ),
    ),
    Code.CLAIMS_OVERWRITTEN: Wording(
        marked("The container’s own claims are lost"),
        marked("Leaves the claims of a container alone."),
        marked("Version 0.0.1 of the webhook replaces {claims} by its own claim."),
        marked("A newer version of the webhook."),
    ),
    Code.NODE_NAME: Wording(
        marked("A Pod that is on a node already"),
        marked("Refuses Pods whose node is given."),
        marked(
            "No scheduler looks at the Pod, so nobody allocates its claims, and {node} does not start it."
        ),
        marked("A node selector in its place."),
    ),
    Code.PRIVILEGED: Wording(
        marked("A privileged container"),
        marked("Refuses privileged containers that ask for cards."),
        marked("Converts them; a privileged container sees every card of its node, whatever it was given."),
        marked("Not privileged."),
    ),
    Code.OTHER_SCHEDULER: Wording(
        marked("Another scheduler"),
        marked("{scheduler} places the Pod."),
        marked(
            "The webhook leaves that as it is. {scheduler} has to allocate claims, with shares of devices."
        ),
        marked("The scheduler of the cluster, unless {scheduler} does."),
    ),
    Code.HAMI_RECORDS: Wording(
        marked("Records of HAMi’s scheduler"),
        marked("Writes into the Pod what it was given: {names}."),
        marked("Nobody reads or writes them for a claim; monitors that read them do not see the new Pod."),
        marked("Leave them out of the manifest."),
    ),
    Code.CLASS_MISSING: Wording(
        marked("The device class is missing"),
        marked("Needs no device class."),
        marked("The cluster has no device class {class}: the Pod waits for ever."),
        marked("Install the DRA driver, which brings it along."),
    ),
    Code.CLASS_ANSWERS_TO_RESOURCE: Wording(
        marked("Kubernetes may convert the Pod, too"),
        marked("Its own scheduler places the Pod."),
        marked(
            "Class {class} also answers to {resource}: where the webhook does not see a Pod, Kubernetes "
            "makes a claim for whole cards of it."
        ),
        marked("A class without extendedResourceName, while the webhook converts."),
    ),
    Code.BOTH_WAYS: Wording(
        marked("Two books for one card"),
        marked("Its own scheduler places the Pod, and its device plugin hands out {resource}."),
        marked(
            "Nodes still have {resource} to give. Both webhooks see the Pod, and each counts its own Pods "
            "only: a card may be given twice."
        ),
        marked("The label, while both run; and no card in both."),
    ),
    Code.SHARING_OFF: Wording(
        marked("The cluster does not share devices"),
        marked("Shares cards."),
        marked(
            "The gate DRAConsumableCapacity is off: memory and cores of a claim are dropped, and it takes "
            "the whole card."
        ),
        marked("The gate on the API server, the scheduler and the kubelets."),
    ),
    Code.QUOTA_NOT_COUNTED: Wording(
        marked("The quota does not count claims"),
        marked("{quotas} limit what the namespace takes."),
        marked("Claims are not counted there; a quota on the device class counts devices, not their memory."),
        marked("A quota on the device class."),
    ),
}
