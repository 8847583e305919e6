import { waitFor } from './wait-for.ts'

const DAY_MS = 86_400_000
/** Longer than such a test takes on a busy machine, shorter than `waitFor` waits. */
const LAST_MS = 110_000

/**
 * For a test whose steps belong to one day by UTC: settles at once, and in the last two minutes of a day when the next
 * one has begun.
 */
export async function withinOneDay(): Promise<void> {
  await waitFor(() => DAY_MS - (Date.now() % DAY_MS) > LAST_MS, { what: 'the next day' })
}
