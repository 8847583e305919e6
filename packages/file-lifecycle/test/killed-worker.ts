import { streams } from '@tideport/contracts/internal/streams'
import { waitFor } from '@tideport/testing/wait-for'
import type { NetworkRole } from '../src/copies/network-settings.ts'
import type { FileRow } from '../src/state/tables.ts'
import { setupNetworks } from './networks-bundle.ts'
import { withProcesses } from './processes.ts'

type Id = Pick<FileRow, 'id'>
type States = Record<string, string>

/** Networks, and processes of a worker with different configurations, which die at failpoints. */
export async function setupKilledWorker(main: URL, env: Record<string, string>, ...networkNames: string[]) {
  const t = await withProcesses(main, await setupNetworks(...networkNames), { env })
  async function start(roles: Record<string, NetworkRole>) {
    const networks = Object.entries(roles).map(async ([name, role]) => [
      name,
      { dir: await t.directoryFor(name), role },
    ])
    return await t.start({}, Object.fromEntries(await Promise.all(networks)))
  }
  return {
    ...t,
    start,
    /**
     * Kills a process of this configuration at the failpoint. Its claims are then free, and all jobs are lost.
     */
    async dieAt(point: string, roles: Record<string, NetworkRole>, { id }: Id): Promise<void> {
      await t.failpoints.kill(point)
      await using killed = await start(roles)
      const { signal } = await killed.ended
      if (signal !== 'SIGKILL') throw new Error(`The process exited before the failpoint ${point}`)
      await t.makeDue(id)
      await t.database.sql(`update copy_walk set walked_at = '-infinity'`)
      await (await t.streams()).purge(streams.jobs.name)
    },
    reaches: (file: Id, states: States) =>
      waitFor(async () => told(await t.states(file)) === told(states), {
        what: `the copies to be ${told(states)}`,
        timeoutMs: 150_000,
      }),
    becomesCold: ({ id }: Id) =>
      waitFor(async () => (await t.read(id)).status === 'cold', { what: 'the file to be cold', timeoutMs: 150_000 }),
    /** How many of these events the file has. */
    times: async ({ id }: Id, type: string) => (await t.events(id)).filter((one) => one === type).length,
  }
}

const told = (states: States) => JSON.stringify(Object.entries(states).toSorted())
