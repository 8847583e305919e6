import { z } from 'zod'

/**
 * An id: a UUID, read in any case (RFC 9562 §4) and from there on in lower case, as it is stored and compared. Ids of
 * content are none: their case matters.
 */
export const uuid = z.uuid().toLowerCase()

/** An id where anything malformed is as unknown as an id that nobody has. */
export const idOrUnknown = z.string().toLowerCase()
