#include "shard/tables/models.h"

#include <stddef.h>

/* clang-format off: columns */
static const struct model models[MODELS] = {
    /* id    class                seats  spawnable  siren */
    { 400, MODEL_CAR, 4, true, false },           /* Landstalker */
    { 401, MODEL_CAR, 2, true, false },           /* Bravura */
    { 402, MODEL_CAR, 2, true, false },           /* Buffalo */
    { 403, MODEL_CAR, 2, true, false },           /* Linerunner */
    { 404, MODEL_CAR, 4, true, false },           /* Perennial */
    { 405, MODEL_CAR, 4, true, false },           /* Sentinel */
    { 406, MODEL_MONSTER_TRUCK, 1, true, false }, /* Dumper */
    { 407, MODEL_CAR, 2, true, true },            /* Fire Truck */
    { 408, MODEL_CAR, 2, true, false },           /* Trashmaster */
    { 409, MODEL_CAR, 4, true, false },           /* Stretch */
    { 410, MODEL_CAR, 2, true, false },           /* Manana */
    { 411, MODEL_CAR, 2, true, false },           /* Infernus */
    { 412, MODEL_CAR, 2, true, false },           /* Voodoo */
    { 413, MODEL_CAR, 4, true, false },           /* Pony */
    { 414, MODEL_CAR, 2, true, false },           /* Mule */
    { 415, MODEL_CAR, 2, true, false },           /* Cheetah */
    { 416, MODEL_CAR, 4, true, true },            /* Ambulance */
    { 417, MODEL_HELICOPTER, 2, true, false },    /* Leviathan */
    { 418, MODEL_CAR, 4, true, false },           /* Moonbeam */
    { 419, MODEL_CAR, 2, true, false },           /* Esperanto */
    { 420, MODEL_CAR, 4, true, false },           /* Taxi */
    { 421, MODEL_CAR, 4, true, false },           /* Washington */
    { 422, MODEL_CAR, 2, true, false },           /* Bobcat */
    { 423, MODEL_CAR, 2, true, true },            /* Mr. Whoopee */
    { 424, MODEL_CAR, 2, true, false },           /* BF Injection */
    { 425, MODEL_HELICOPTER, 1, true, false },    /* Hunter */
    { 426, MODEL_CAR, 4, true, false },           /* Premier */
    { 427, MODEL_CAR, 4, true, true },            /* Enforcer */
    { 428, MODEL_CAR, 4, true, false },           /* Securicar */
    { 429, MODEL_CAR, 2, true, false },           /* Banshee */
    { 430, MODEL_BOAT, 1, true, false },          /* Predator */
    { 431, MODEL_CAR, 9, true, false },           /* Bus */
    { 432, MODEL_CAR, 1, true, false },           /* Rhino */
    { 433, MODEL_CAR, 2, true, true },            /* Barracks */
    { 434, MODEL_CAR, 2, true, false },           /* Hotknife */
    { 435, MODEL_TRAILER, 1, true, false },       /* Trailer 1 */
    { 436, MODEL_CAR, 2, true, false },           /* Previon */
    { 437, MODEL_CAR, 9, true, false },           /* Coach */
    { 438, MODEL_CAR, 4, true, false },           /* Cabbie */
    { 439, MODEL_CAR, 2, true, false },           /* Stallion */
    { 440, MODEL_CAR, 4, true, false },           /* Rumpo */
    { 441, MODEL_RC, 0, true, false },            /* RC Bandit */
    { 442, MODEL_CAR, 2, true, false },           /* Romero */
    { 443, MODEL_CAR, 2, true, false },           /* Packer */
    { 444, MODEL_MONSTER_TRUCK, 2, true, false }, /* Monster 1 */
    { 445, MODEL_CAR, 4, true, false },           /* Admiral */
    { 446, MODEL_BOAT, 1, true, false },          /* Squalo */
    { 447, MODEL_HELICOPTER, 2, true, false },    /* Seasparrow */
    { 448, MODEL_MOTORBIKE, 1, true, false },     /* Pizzaboy */
    { 449, MODEL_TRAIN, 6, true, false },         /* Tram */
    { 450, MODEL_TRAILER, 1, true, false },       /* Trailer 2 */
    { 451, MODEL_CAR, 2, true, false },           /* Turismo */
    { 452, MODEL_BOAT, 1, true, false },          /* Speeder */
    { 453, MODEL_BOAT, 1, true, false },          /* Reefer */
    { 454, MODEL_BOAT, 1, true, false },          /* Tropic */
    { 455, MODEL_CAR, 2, true, false },           /* Flatbed */
    { 456, MODEL_CAR, 2, true, false },           /* Yankee */
    { 457, MODEL_CAR, 2, true, false },           /* Caddy */
    { 458, MODEL_CAR, 4, true, false },           /* Solair */
    { 459, MODEL_CAR, 4, true, false },           /* Berkley's RC Van */
    { 460, MODEL_PLANE, 2, true, false },         /* Skimmer */
    { 461, MODEL_MOTORBIKE, 2, true, false },     /* PCJ-600 */
    { 462, MODEL_MOTORBIKE, 2, true, false },     /* Faggio */
    { 463, MODEL_MOTORBIKE, 2, true, false },     /* Freeway */
    { 464, MODEL_RC, 0, true, false },            /* RC Baron */
    { 465, MODEL_RC, 0, true, false },            /* RC Raider */
    { 466, MODEL_CAR, 4, true, false },           /* Glendale */
    { 467, MODEL_CAR, 4, true, false },           /* Oceanic */
    { 468, MODEL_MOTORBIKE, 2, true, false },     /* Sanchez */
    { 469, MODEL_HELICOPTER, 2, true, false },    /* Sparrow */
    { 470, MODEL_CAR, 4, true, false },           /* Patriot */
    { 471, MODEL_QUAD, 2, true, false },          /* Quadbike */
    { 472, MODEL_BOAT, 1, true, false },          /* Coastguard */
    { 473, MODEL_BOAT, 1, true, false },          /* Dinghy */
    { 474, MODEL_CAR, 2, true, false },           /* Hermes */
    { 475, MODEL_CAR, 2, true, false },           /* Sabre */
    { 476, MODEL_PLANE, 1, true, false },         /* Rustler */
    { 477, MODEL_CAR, 2, true, false },           /* ZR-350 */
    { 478, MODEL_CAR, 2, true, false },           /* Walton */
    { 479, MODEL_CAR, 4, true, false },           /* Regina */
    { 480, MODEL_CAR, 2, true, false },           /* Comet */
    { 481, MODEL_BICYCLE, 1, true, false },       /* BMX */
    { 482, MODEL_CAR, 4, true, false },           /* Burrito */
    { 483, MODEL_CAR, 3, true, false },           /* Camper */
    { 484, MODEL_BOAT, 1, true, false },          /* Marquis */
    { 485, MODEL_CAR, 1, true, false },           /* Baggage */
    { 486, MODEL_CAR, 1, true, false },           /* Dozer */
    { 487, MODEL_HELICOPTER, 4, true, false },    /* Maverick */
    { 488, MODEL_HELICOPTER, 2, true, false },    /* News Chopper */
    { 489, MODEL_CAR, 2, true, false },           /* Rancher */
    { 490, MODEL_CAR, 4, true, true },            /* FBI Rancher */
    { 491, MODEL_CAR, 2, true, false },           /* Virgo */
    { 492, MODEL_CAR, 4, true, false },           /* Greenwood */
    { 493, MODEL_BOAT, 1, true, false },          /* Jetmax */
    { 494, MODEL_CAR, 2, true, false },           /* Hotring Racer */
    { 495, MODEL_CAR, 2, true, false },           /* Sandking */
    { 496, MODEL_CAR, 2, true, false },           /* Blista Compact */
    { 497, MODEL_HELICOPTER, 4, true, false },    /* Police Maverick */
    { 498, MODEL_CAR, 4, true, false },           /* Boxville */
    { 499, MODEL_CAR, 2, true, false },           /* Benson */
    { 500, MODEL_CAR, 2, true, false },           /* Mesa */
    { 501, MODEL_RC, 0, true, false },            /* RC Goblin */
    { 502, MODEL_CAR, 2, true, false },           /* Hotring Racer 2 */
    { 503, MODEL_CAR, 2, true, false },           /* Hotring Racer 3 */
    { 504, MODEL_CAR, 2, true, false },           /* Bloodring Banger */
    { 505, MODEL_CAR, 2, true, false },           /* Rancher Lure */
    { 506, MODEL_CAR, 2, true, false },           /* Super GT */
    { 507, MODEL_CAR, 4, true, false },           /* Elegant */
    { 508, MODEL_CAR, 2, true, false },           /* Journey */
    { 509, MODEL_BICYCLE, 1, true, false },       /* Bike */
    { 510, MODEL_BICYCLE, 1, true, false },       /* Mountain Bike */
    { 511, MODEL_PLANE, 2, true, false },         /* Beagle */
    { 512, MODEL_PLANE, 1, true, false },         /* Cropduster */
    { 513, MODEL_PLANE, 1, true, false },         /* Stuntplane */
    { 514, MODEL_CAR, 2, true, false },           /* Tanker */
    { 515, MODEL_CAR, 2, true, false },           /* Roadtrain */
    { 516, MODEL_CAR, 4, true, false },           /* Nebula */
    { 517, MODEL_CAR, 2, true, false },           /* Majestic */
    { 518, MODEL_CAR, 2, true, false },           /* Buccaneer */
    { 519, MODEL_PLANE, 1, true, false },         /* Shamal */
    { 520, MODEL_PLANE, 1, true, false },         /* Hydra */
    { 521, MODEL_MOTORBIKE, 2, true, false },     /* FCR-900 */
    { 522, MODEL_MOTORBIKE, 2, true, false },     /* NRG-500 */
    { 523, MODEL_MOTORBIKE, 2, true, true },      /* HPV1000 */
    { 524, MODEL_CAR, 2, true, false },           /* Cement Truck */
    { 525, MODEL_CAR, 2, true, false },           /* Towtruck */
    { 526, MODEL_CAR, 2, true, false },           /* Fortune */
    { 527, MODEL_CAR, 2, true, false },           /* Cadrona */
    { 528, MODEL_CAR, 2, true, true },            /* FBI Truck */
    { 529, MODEL_CAR, 4, true, false },           /* Willard */
    { 530, MODEL_CAR, 1, true, false },           /* Forklift */
    { 531, MODEL_CAR, 1, true, false },           /* Tractor */
    { 532, MODEL_CAR, 1, true, false },           /* Combine Harvester */
    { 533, MODEL_CAR, 2, true, false },           /* Feltzer */
    { 534, MODEL_CAR, 2, true, false },           /* Remington */
    { 535, MODEL_CAR, 2, true, false },           /* Slamvan */
    { 536, MODEL_CAR, 2, true, false },           /* Blade */
    { 537, MODEL_TRAIN, 21, true, false },        /* Freight */
    { 538, MODEL_TRAIN, 21, true, false },        /* Streak */
    { 539, MODEL_PLANE, 1, true, false },         /* Vortex */
    { 540, MODEL_CAR, 4, true, false },           /* Vincent */
    { 541, MODEL_CAR, 2, true, false },           /* Bullet */
    { 542, MODEL_CAR, 2, true, false },           /* Clover */
    { 543, MODEL_CAR, 2, true, false },           /* Sadler */
    { 544, MODEL_CAR, 2, true, false },           /* Fire Truck Ladder */
    { 545, MODEL_CAR, 2, true, false },           /* Hustler */
    { 546, MODEL_CAR, 4, true, false },           /* Intruder */
    { 547, MODEL_CAR, 4, true, false },           /* Primo */
    { 548, MODEL_HELICOPTER, 2, true, false },    /* Cargobob */
    { 549, MODEL_CAR, 2, true, false },           /* Tampa */
    { 550, MODEL_CAR, 4, true, false },           /* Sunrise */
    { 551, MODEL_CAR, 4, true, false },           /* Merit */
    { 552, MODEL_CAR, 2, true, false },           /* Utility Van */
    { 553, MODEL_PLANE, 1, true, false },         /* Nevada */
    { 554, MODEL_CAR, 2, true, false },           /* Yosemite */
    { 555, MODEL_CAR, 2, true, false },           /* Windsor */
    { 556, MODEL_MONSTER_TRUCK, 2, true, false }, /* Monster 2 */
    { 557, MODEL_MONSTER_TRUCK, 2, true, false }, /* Monster 3 */
    { 558, MODEL_CAR, 2, true, false },           /* Uranus */
    { 559, MODEL_CAR, 2, true, false },           /* Jester */
    { 560, MODEL_CAR, 4, true, false },           /* Sultan */
    { 561, MODEL_CAR, 4, true, false },           /* Stratum */
    { 562, MODEL_CAR, 2, true, false },           /* Elegy */
    { 563, MODEL_HELICOPTER, 2, true, false },    /* Raindance */
    { 564, MODEL_RC, 0, true, false },            /* RC Tiger */
    { 565, MODEL_CAR, 2, true, false },           /* Flash */
    { 566, MODEL_CAR, 4, true, false },           /* Tahoma */
    { 567, MODEL_CAR, 4, true, false },           /* Savanna */
    { 568, MODEL_CAR, 1, true, false },           /* Bandito */
    { 569, MODEL_TRAIN, 0, false, false },        /* Freight Train Flatbed */
    { 570, MODEL_TRAIN, 0, false, false },        /* Streak Train Trailer */
    { 571, MODEL_CAR, 1, true, false },           /* Kart */
    { 572, MODEL_CAR, 1, true, false },           /* Mower */
    { 573, MODEL_MONSTER_TRUCK, 2, true, false }, /* Dune */
    { 574, MODEL_CAR, 1, true, false },           /* Sweeper */
    { 575, MODEL_CAR, 2, true, false },           /* Broadway */
    { 576, MODEL_CAR, 2, true, false },           /* Tornado */
    { 577, MODEL_PLANE, 2, true, false },         /* AT-400 */
    { 578, MODEL_CAR, 2, true, false },           /* DFT-30 */
    { 579, MODEL_CAR, 4, true, false },           /* Huntley */
    { 580, MODEL_CAR, 4, true, false },           /* Stafford */
    { 581, MODEL_MOTORBIKE, 2, true, false },     /* BF-400 */
    { 582, MODEL_CAR, 4, true, false },           /* Newsvan */
    { 583, MODEL_CAR, 1, true, false },           /* Tug */
    { 584, MODEL_TRAILER, 1, true, false },       /* Trailer (Tanker Commando) */
    { 585, MODEL_CAR, 4, true, false },           /* Emperor */
    { 586, MODEL_MOTORBIKE, 2, true, false },     /* Wayfarer */
    { 587, MODEL_CAR, 2, true, false },           /* Euros */
    { 588, MODEL_CAR, 2, true, false },           /* Hotdog */
    { 589, MODEL_CAR, 2, true, false },           /* Club */
    { 590, MODEL_TRAIN, 0, false, false },        /* Box Freight */
    { 591, MODEL_TRAILER, 1, true, false },       /* Trailer 3 */
    { 592, MODEL_PLANE, 2, true, false },         /* Andromada */
    { 593, MODEL_PLANE, 2, true, false },         /* Dodo */
    { 594, MODEL_RC, 0, true, false },            /* RC Cam */
    { 595, MODEL_BOAT, 1, true, false },          /* Launch */
    { 596, MODEL_CAR, 4, true, true },            /* Police LS */
    { 597, MODEL_CAR, 4, true, true },            /* Police SF */
    { 598, MODEL_CAR, 4, true, true },            /* Police LV */
    { 599, MODEL_CAR, 2, true, true },            /* Police Ranger */
    { 600, MODEL_CAR, 2, true, false },           /* Picador */
    { 601, MODEL_CAR, 2, true, true },            /* S.W.A.T. */
    { 602, MODEL_CAR, 2, true, false },           /* Alpha */
    { 603, MODEL_CAR, 2, true, false },           /* Phoenix */
    { 604, MODEL_CAR, 4, true, false },           /* Glendale Damaged */
    { 605, MODEL_CAR, 2, true, false },           /* Sadler Damaged */
    { 606, MODEL_TRAILER, 1, true, false },       /* Baggage Trailer (covered) */
    { 607, MODEL_TRAILER, 1, true, false },       /* Baggage Trailer (Uncovered) */
    { 608, MODEL_TRAILER, 1, true, false },       /* Trailer (Stairs) */
    { 609, MODEL_CAR, 4, true, false },           /* Boxville Mission */
    { 610, MODEL_TRAILER, 1, true, false },       /* Farm Trailer */
    { 611, MODEL_TRAILER, 1, true, false },       /* Street Clean Trailer */
};
/* clang-format on */

const struct model *model_find(uint32_t id)
{
    return id >= MODEL_MIN && id <= MODEL_MAX ? &models[id - MODEL_MIN] : NULL;
}
