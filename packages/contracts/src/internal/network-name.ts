import { z } from 'zod'

/** The name of a storage network in an installation: a token of NATS subjects, and part of setting names. */
export const networkName = z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and -')
