/* world.h - the world file of dlmpctl up: the vehicles of the shards and where players start.
 *
 *     spawns:
 *       - { x: -2040.5, y: 142.0, z: 28.8, heading: 90, skin: 60 }
 *     vehicles:
 *       - { model: 411, x: -2030.0, y: 150.0, z: 28.6, heading: 270 }
 *
 * Each list goes into the settings files of the processes that it is for, which know and check what an item
 * may say. Here only its form is checked. */
#ifndef DLMP_CTL_WORLD_H
#define DLMP_CTL_WORLD_H

enum { WORLD_FILE_MAX = 1 << 20 }; /* ours: bytes */

/* As settings_set_list takes them; "" when the file has no such list. */
struct world_lists {
    char *spawns;
    char *vehicles;
};

/* -1: it cannot be read; that was said on stderr, with the line. */
int world_load(struct world_lists *world, const char *path);
void world_free(struct world_lists *world);

#endif
