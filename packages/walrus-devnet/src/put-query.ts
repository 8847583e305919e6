import { Refusal } from './refusals.ts'

export interface PutQuery {
  epochs: number
  isPermanent: boolean
  force: boolean
  sendObjectTo: string | null
}

/** The maximum number of epochs that mainnet stores ahead. */
const EPOCHS_MAX = 53
const known = [
  'encoding_type',
  'epochs',
  'deletable',
  'permanent',
  'force',
  'reuse_resources',
  'send_object_to',
  'share',
]

/** Throws `Refusal` for values that a publisher rejects and for unknown parameters. */
export function readPutQuery(query: URLSearchParams): PutQuery {
  for (const name of query.keys()) {
    if (!known.includes(name)) throw rejected(`unknown field \`${name}\``)
  }
  const [permanent, deletable] = [flag(query, 'permanent'), flag(query, 'deletable')]
  if (permanent && deletable) {
    throw Refusal.of('INVALID_BLOB_PERSISTENCE', 'the blob cannot be defined as both deletable and permanent')
  }
  const [sendObjectTo, share] = [query.get('send_object_to'), flag(query, 'share')]
  if (share && sendObjectTo !== null) throw rejected('`share` and `send_object_to` exclude each other')
  if (sendObjectTo !== null && !/^0x[0-9a-fA-F]{1,64}$/.test(sendObjectTo)) throw rejected('invalid address')
  if ((query.get('encoding_type') ?? 'RS2') !== 'RS2') throw rejected('unknown variant')
  const epochs = query.get('epochs') ?? '1'
  if (!/^\d{1,9}$/.test(epochs)) throw rejected('invalid digit found in string')
  if (Number(epochs) < 1 || Number(epochs) > EPOCHS_MAX) {
    throw Refusal.of('MALFORMED_REQUEST', `blobs are stored for 1 to ${EPOCHS_MAX} epochs`)
  }
  return { epochs: Number(epochs), isPermanent: permanent, force: flag(query, 'force'), sendObjectTo }
}

function flag(query: URLSearchParams, name: string): boolean {
  const text = query.get(name) ?? 'false'
  if (text !== 'true' && text !== 'false') throw rejected(`${name}: provided string was not \`true\` or \`false\``)
  return text === 'true'
}

const rejected = (why: string) => Refusal.plain(400, `Failed to deserialize query string: ${why}`)
