import { consumers, networkConsumers, streams } from '@tideport/contracts/internal/streams'

interface Rights {
  publish: readonly string[]
  subscribe: readonly string[]
  answers?: true
}

const names = Object.values(streams).map(({ name }) => name)
const apiOf = (...calls: string[]) => calls.map((call) => `$JS.API.${call}`)
const eachStream = (call: string) => apiOf(...names.map((name) => `${call}.${name}`))
const takeFrom = (stream: string) => [...apiOf(`CONSUMER.MSG.NEXT.${stream}.*`), `$JS.ACK.${stream}.>`]

/** The name of a network is a token of the subject filter. */
const { store, prove } = networkConsumers('*')
const queues = [...Object.values(consumers), { ...store, durable: '*' }, { ...prove, durable: '*' }]

/** May watch streams and consumers and create missing ones, but not change existing streams. */
const restoreStreams = [
  ...apiOf('INFO'),
  ...eachStream('STREAM.INFO'),
  ...eachStream('STREAM.CREATE'),
  ...apiOf(...names.map((name) => `CONSUMER.INFO.${name}.*`)),
  ...apiOf(
    ...queues.map(({ stream, durable, filterSubject }) => `CONSUMER.CREATE.${stream}.${durable}.${filterSubject}`),
  ),
]
const setUpStreams = [...restoreStreams, ...eachStream('STREAM.UPDATE')]
const ofFiles = ['jobs.>', 'events.>', ...restoreStreams, ...apiOf(`STREAM.MSG.GET.${streams.events.name}`)]
const audit = 'audit.>'

/** Replies and pulled messages use only this subject. */
const inboxOf = (name: string) => `_INBOX.${name}.>`

/** The NATS permissions of each process (docs/operate/processes.md) by connection name. */
export const brokerRights: Readonly<Record<string, Rights>> = {
  'set-up': { publish: setUpStreams, subscribe: [inboxOf('set-up')] },
  // Connects like the set-up and deletes the queues of a removed network.
  operator: {
    publish: [...setUpStreams, ...apiOf('CONSUMER.DELETE.JOBS.*', 'STREAM.PURGE.JOBS')],
    subscribe: [inboxOf('set-up')],
  },
  auth: { publish: [], subscribe: [audit], answers: true },
  files: { publish: ofFiles, subscribe: [inboxOf('files')] },
  sync: { publish: [...ofFiles, ...takeFrom(streams.jobs.name)], subscribe: [inboxOf('sync')] },
  eviction: { publish: [...ofFiles, ...takeFrom(streams.jobs.name)], subscribe: [inboxOf('eviction')] },
  webhooks: {
    publish: [audit, ...restoreStreams, ...takeFrom(streams.events.name)],
    subscribe: [inboxOf('webhooks')],
  },
}

/** One user per process. nats-server parses JSON as a value. */
export function brokerConfiguration(passwords: Readonly<Record<string, string>>): string {
  const users = Object.entries(brokerRights).map(([user, { publish, subscribe, answers }]) => ({
    user,
    password: passwords[user],
    permissions: {
      publish: { allow: publish },
      subscribe: { allow: subscribe },
      ...(answers && { allow_responses: true }),
    },
  }))
  return `authorization ${JSON.stringify({ users }, null, 2)}`
}
