import { z } from 'zod'

/** The name of a storage network within an installation: one token of a subject, and part of the names of settings. */
export const networkName = z.string().regex(/^[a-z0-9-]{1,32}$/, 'must be 1 to 32 of a-z, 0-9 and -')
