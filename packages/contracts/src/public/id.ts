import { z } from 'zod'

/** Read in any case (RFC 9562 §4) and stored in lower case. Content IDs are not of this type: their case matters. */
export const uuid = z.uuid().toLowerCase()

/** How far ahead of ours a clock may be that an id was made by. */
const AHEAD_MS = 60_000

/** An id for what is created, of a client's own: of the past, as what is older sorts before what is newer. */
export const givenId = z
  .uuidv7({ error: 'Must be a UUIDv7' })
  .toLowerCase()
  .refine((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16) <= Date.now() + AHEAD_MS, {
    error: 'Must not be of the future',
  })
  .nullish()
  .describe('The id that it gets, which nobody may have or have had: a UUIDv7. Made by the service unless sent')

/** An id where anything malformed is as unknown as an id that nobody has. */
export const idOrUnknown = z.string().toLowerCase()
