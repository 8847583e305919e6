import { jetstreamManager } from '@nats-io/jetstream'
import { streams } from '@tideport/contracts/internal/streams'
import { createFailpoints } from '@tideport/testing/failpoints'
import { startNats } from '@tideport/testing/nats'
import { waitFor } from '@tideport/testing/wait-for'
import type { NetworkRole } from '../src/copies/network-settings.ts'
import type { FileRow } from '../src/state/tables.ts'
import { setupNetworks } from './networks-bundle.ts'
import { spawnWorker } from './spawn-worker.ts'

type Id = Pick<FileRow, 'id'>
type States = Record<string, string>

/** Networks, and processes of one worker with this configuration or that, which die at failpoints. */
export async function setupKilledWorker(main: URL, env: Record<string, string>, ...networkNames: string[]) {
  const stack = new AsyncDisposableStack()
  const nats = stack.use(await startNats())
  const failpoints = stack.use(await createFailpoints())
  const t = stack.use(await setupNetworks(...networkNames))

  async function start(roles: Record<string, NetworkRole>) {
    const networks = Object.entries(roles).map(async ([name, role]) => [
      name,
      { dir: await t.directoryFor(name), role },
    ])
    const surroundings = {
      ...{ databaseUrl: t.database.url, natsUrl: nats.url, failpointDir: failpoints.directory, store: t.bucket },
      networks: Object.fromEntries(await Promise.all(networks)),
    }
    return await spawnWorker(main, surroundings, env)
  }
  return Object.assign(t, {
    start,
    /**
     * A process of this configuration comes by there and is killed. What it held is free then, and all jobs are lost.
     */
    async dieAt(point: string, roles: Record<string, NetworkRole>, { id }: Id): Promise<void> {
      await failpoints.kill(point)
      await using killed = await start(roles)
      const { signal } = await killed.ended
      if (signal !== 'SIGKILL') throw new Error(`The process ended by itself and not at ${point}`)
      await t.makeDue(id)
      await t.database.sql('update turn set held_until = now()')
      await t.database.sql(`update copy_walk set walked_at = '-infinity'`)
      await (await jetstreamManager(await nats.connect())).streams.purge(streams.jobs.name)
    },
    reaches: (file: Id, states: States) =>
      waitFor(async () => told(await t.states(file)) === told(states), {
        what: `the copies to be ${told(states)}`,
        timeoutMs: 150_000,
      }),
    becomesCold: ({ id }: Id) =>
      waitFor(async () => (await t.read(id)).status === 'cold', { what: 'the file to be cold', timeoutMs: 150_000 }),
    /** How often that happened to the file. */
    times: async ({ id }: Id, type: string) => (await t.events(id)).filter((one) => one === type).length,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  })
}

const told = (states: States) => JSON.stringify(Object.entries(states).toSorted())
