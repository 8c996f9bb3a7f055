#include "shard/tables/couplings.h"

enum {
    MODEL_LINERUNNER = 403,
    MODEL_DINGHY = 473,
    MODEL_BAGGAGE = 485,
    MODEL_TANKER = 514,
    MODEL_ROADTRAIN = 515,
    MODEL_TOW_TRUCK = 525,
    MODEL_TRACTOR = 531,
    MODEL_VORTEX = 539,
    MODEL_UTILITY_VAN = 552,
    MODEL_RC_TIGER = 564,
    MODEL_TUG = 583,
    MODEL_BAGGAGE_TRAILER_COVERED = 606,
    MODEL_BAGGAGE_TRAILER_OPEN = 607,
    MODEL_STAIRS_TRAILER = 608,
    MODEL_FARM_TRAILER = 610,
    MODEL_STREET_CLEAN_TRAILER = 611,
};

/* By the letter that takes in bicycles and aircraft (RULES.md, D-36). */
static bool tow_truck_takes(const struct model *model)
{
    return model->vehicle_class != MODEL_TRAILER && model->vehicle_class != MODEL_MOTORBIKE &&
           model->vehicle_class != MODEL_BOAT;
}

bool coupling_hitches(const struct model *tractor, const struct model *trailer)
{
    switch (tractor->id) {
    case MODEL_TOW_TRUCK:
        return tow_truck_takes(trailer);
    case MODEL_TRACTOR:
        return tow_truck_takes(trailer) || trailer->id == MODEL_FARM_TRAILER;
    case MODEL_LINERUNNER:
    case MODEL_TANKER:
    case MODEL_ROADTRAIN:
    case MODEL_BAGGAGE_TRAILER_COVERED:
    case MODEL_BAGGAGE_TRAILER_OPEN:
        return trailer->vehicle_class == MODEL_TRAILER;
    case MODEL_UTILITY_VAN:
        return trailer->id == MODEL_STREET_CLEAN_TRAILER;
    case MODEL_BAGGAGE:
    case MODEL_TUG:
        return trailer->id >= MODEL_BAGGAGE_TRAILER_COVERED && trailer->id <= MODEL_STAIRS_TRAILER;
    default:
        return false;
    }
}

static bool magnet_takes(const struct model *model)
{
    return model->vehicle_class == MODEL_CAR || model->vehicle_class == MODEL_MONSTER_TRUCK ||
           model->vehicle_class == MODEL_MOTORBIKE || model->id == MODEL_DINGHY || model->id == MODEL_VORTEX;
}

bool coupling_lifts(enum winch winch, const struct model *load)
{
    switch (winch) {
    case WINCH_NONE:
        return false;
    case WINCH_MAGNET:
        return magnet_takes(load);
    case WINCH_SMALL_MAGNET:
        return load->id == MODEL_RC_TIGER;
    }
    return false;
}
