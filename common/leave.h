/* leave.h - why a connection ended.
 *
 * Spec: Connection, "Disconnect"; the numbers are PlayerLeave's and KickNotify's. */
#ifndef DLMP_COMMON_LEAVE_H
#define DLMP_COMMON_LEAVE_H

enum leave_reason { LEAVE_QUIT, LEAVE_TIMEOUT, LEAVE_KICKED, LEAVE_BANNED, LEAVE_SERVER, LEAVE_REASONS };

#endif
