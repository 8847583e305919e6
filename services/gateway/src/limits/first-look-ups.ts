import type { Socket } from 'node:net'
import { Pulse } from '@tideport/service-kit/context/patience'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { isRefusal } from '../identity/unauthenticated.ts'
import { requestPatience } from '../upstream/request-patience.ts'
import { createWaitingLines } from './waiting-lines.ts'

/** Enough for an office whose keys are all new to this process, and no burden for auth when all of them are guesses. */
const PER_ADDRESS_MAX = 8

/** One who asks with a credential that is new to this process. */
export interface Newcomer {
  socket: Socket
  /** The key of its address for limits. */
  address: string
}

/**
 * Looks new keys up a few at a time of one address, and of these one of each connection: whoever guesses keys in great
 * numbers waits for himself, and a right key sent from beside him has only as many before it as he has connections.
 * Rejects with 503 when nobody's turn comes any more.
 */
export function createFirstLookUps() {
  const pulse = new Pulse()
  const tooLate = () => unavailable('Authentication is temporarily unavailable')
  const ofConnection = createWaitingLines<Socket>({ places: 1, pulse, tooLate })
  const ofAddress = createWaitingLines<string>({ places: PER_ADDRESS_MAX, pulse, tooLate })
  return async ({ socket, address }: Newcomer, lookUp: () => Promise<void>): Promise<void> => {
    const patience = requestPatience()
    using _one = await ofConnection.enter(socket, patience)
    using _few = await ofAddress.enter(address, patience)
    try {
      await lookUp()
      pulse.beat()
    } catch (error) {
      if (isRefusal(error)) pulse.beat()
      throw error
    }
  }
}
