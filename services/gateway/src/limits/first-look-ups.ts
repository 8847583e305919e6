import type { Socket } from 'node:net'
import { Heartbeat } from '@tideport/service-kit/context/wait-budget'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { isRefusal } from '../identity/unauthenticated.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
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
  const heartbeat = new Heartbeat()
  const tooLate = () => unavailable('Authentication is temporarily unavailable')
  const ofConnection = createWaitingLines<Socket>({ places: 1, heartbeat, tooLate })
  const ofAddress = createWaitingLines<string>({ places: PER_ADDRESS_MAX, heartbeat, tooLate })
  return async ({ socket, address }: Newcomer, lookUp: () => Promise<void>): Promise<void> => {
    const waitBudget = requestWaitBudget()
    using _one = await ofConnection.enter(socket, waitBudget)
    using _few = await ofAddress.enter(address, waitBudget)
    try {
      await lookUp()
      heartbeat.beat()
    } catch (error) {
      if (isRefusal(error)) heartbeat.beat()
      throw error
    }
  }
}
