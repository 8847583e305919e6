import { z } from 'zod'

/** Read in any case (RFC 9562 §4) and stored in lower case. Not for content IDs, whose case matters. */
export const uuid = z.uuid().toLowerCase()

/** How far ahead of ours the clock of a client that creates an ID may be. */
const AHEAD_MS = 60_000

/** A client's ID for a new object. Not in the future, so that older objects sort before newer ones. */
export const givenId = z
  .uuidv7({ error: 'Must be a UUIDv7' })
  .toLowerCase()
  .refine((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16) <= Date.now() + AHEAD_MS, {
    error: 'Must not be in the future',
  })
  .nullish()
  .describe('The new object’s ID: a UUIDv7 that no file or vault has or had. By default, the service creates one')

/** An ID that is 404 if malformed, like an unknown one. */
export const idOrUnknown = z.string().toLowerCase()
