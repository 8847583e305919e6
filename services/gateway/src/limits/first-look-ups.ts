import type { Socket } from 'node:net'
import { Heartbeat } from '@tideport/service-kit/context/wait-budget'
import { unavailable } from '@tideport/service-kit/process/app-error'
import { isRefusal } from '../identity/unauthenticated.ts'
import { requestWaitBudget } from '../upstream/request-wait-budget.ts'
import { createWaitingLines } from './waiting-lines.ts'

/** Enough for an office whose keys are all new to this process, and no burden for auth when all of them are guesses. */
const PER_ADDRESS_MAX = 8

export interface Newcomer {
  socket: Socket
  address: string
}

/** A few lookups at a time for each address, and one for each connection: guesses delay themselves. 503 after the wait budget. */
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
