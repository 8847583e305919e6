import { NetworkError } from './errors.ts'
import type { NetworkIdentity } from './identity.ts'
import type { CopyName } from './storage-network.ts'

export interface SetUp extends NetworkIdentity {
  /** Some of the copies that the installation remembers on this network; empty if it remembers none. */
  remembered: CopyName[]
  /** Continue even if none of them exists. */
  acceptLostCopies: boolean
}

interface Place {
  /** Its name in messages, such as `the bucket files`. */
  place: string
  question: string
  holds(copy: CopyName): Promise<boolean>
  holdsAny(): Promise<boolean>
}

/**
 * Accepts an unmarked place that contains a remembered copy or, if none are remembered, no copies. `acceptLostCopies`
 * skips the search for remembered copies. Throws an error for the operator.
 */
export async function acceptPlace(
  { name, remembered, acceptLostCopies }: Pick<SetUp, 'name' | 'remembered' | 'acceptLostCopies'>,
  { place, question, holds, holdsAny }: Place,
): Promise<void> {
  if (remembered.length === 0 && (await holdsAny())) {
    throw new Error(
      `${place.replace(/^the /, 'The ')} contains copies, but the database has no copies on the network ${name}. The storage or the database may belong to another network or installation.`,
    )
  }
  if (remembered.length === 0 || acceptLostCopies) return
  for (const copy of remembered) if (await holds(copy)) return
  throw new Error(
    `The database has copies on the network ${name}, but ${place} contains none of those that were checked. ${question} If the copies are lost, pass --accept-lost-copies.`,
  )
}

/** Turns a driver's error into a message for the operator: `what` cannot be used, with a hint. */
export async function explained<T>(
  what: string,
  hintFor: (error: NetworkError) => string,
  call: () => Promise<T>,
): Promise<T> {
  try {
    return await call()
  } catch (error) {
    if (!(error instanceof NetworkError) || error.fault === 'foreign' || error.fault === 'unreadable') throw error
    throw new Error(`${what} cannot be used: ${error.message}. ${hintFor(error)}`, { cause: error })
  }
}
