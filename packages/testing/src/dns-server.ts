import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'

export interface DnsQuestion {
  /** As asked, without the trailing dot; empty for the root. */
  name: string
  type: 'A' | 'AAAA' | 'NS' | 'other'
}

/** IP addresses (those of the other family are left out), a name's other name with its addresses, or how not to answer. */
export type DnsAnswer =
  | string[]
  | { cname: string; addresses: string[] }
  | 'nxdomain'
  | 'servfail'
  | 'refused'
  | 'silent'

const TYPES: Record<number, DnsQuestion['type']> = { 1: 'A', 2: 'NS', 28: 'AAAA' }
const RESPONSE_CODES = { servfail: 2, nxdomain: 3, refused: 5 }
const HEADER_BYTES = 12
const CNAME = 5
const TTL_SECONDS = 60

/** A DNS server on a loopback port that records each question and answers as told; who serves the root it knows by itself. */
export async function startDnsServer(answerTo: (question: DnsQuestion) => DnsAnswer) {
  const questions: DnsQuestion[] = []
  let answer = answerTo
  const socket = createSocket('udp4', (message, { port, address }) => {
    const question = readQuestion(message)
    questions.push(question)
    const response = respond(message, question, answer(question))
    if (response !== null) socket.send(response, port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  return {
    /** Address and port. */
    address: `127.0.0.1:${port}`,
    /** Every question so far, oldest first. */
    questions: questions as readonly DnsQuestion[],
    /** Answers like this from now on, the root's servers included. */
    respondWith(next: (question: DnsQuestion) => DnsAnswer) {
      answer = next
    },
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

function readQuestion(message: Buffer): DnsQuestion {
  const { labels, end } = readLabels(message)
  return { name: labels.join('.'), type: TYPES[message.readUInt16BE(end)] ?? 'other' }
}

function readLabels(message: Buffer): { labels: string[]; end: number } {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (let length = message[at] ?? 0; length > 0; length = message[at] ?? 0) {
    labels.push(message.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { labels, end: at + 1 }
}

function respond(message: Buffer, { name, type }: DnsQuestion, answer: DnsAnswer): Buffer | null {
  if (answer === 'silent') return null
  const question = message.subarray(HEADER_BYTES, readLabels(message).end + 4)
  if (typeof answer === 'string') return packet(message, RESPONSE_CODES[answer], question, [])
  if (type === 'NS')
    return packet(message, 0, question, [record(encodeName(name), 2, encodeName('a.root-servers.net'))])
  const { cname, addresses } = Array.isArray(answer) ? { cname: name, addresses: answer } : answer
  const owner = encodeName(cname)
  const aliases = cname === name ? [] : [record(encodeName(name), CNAME, owner)]
  const found = addresses.filter((address) => address.includes(':') === (type === 'AAAA'))
  return packet(message, 0, question, [
    ...aliases,
    ...found.map((address) => record(owner, type === 'AAAA' ? 28 : 1, encodeAddress(address))),
  ])
}

function packet(message: Buffer, code: number, question: Buffer, records: Buffer[]): Buffer {
  const header = Buffer.alloc(HEADER_BYTES)
  message.copy(header, 0, 0, 2)
  header.writeUInt16BE(0x8180 | code, 2)
  header.writeUInt16BE(1, 4)
  header.writeUInt16BE(records.length, 6)
  return Buffer.concat([header, question, ...records])
}

function record(owner: Buffer, type: number, data: Buffer): Buffer {
  const fields = Buffer.alloc(10)
  fields.writeUInt16BE(type, 0)
  fields.writeUInt16BE(1, 2)
  fields.writeUInt32BE(TTL_SECONDS, 4)
  fields.writeUInt16BE(data.length, 8)
  return Buffer.concat([owner, fields, data])
}

function encodeName(name: string): Buffer {
  const labels = name === '' ? [] : name.split('.').map((label) => Buffer.from(label, 'latin1'))
  return Buffer.concat([...labels.flatMap((label) => [Buffer.from([label.length]), label]), Buffer.from([0])])
}

/** IPv6 addresses in the forms that tests use: groups of hexadecimal digits, maybe with one `::`. */
function encodeAddress(address: string): Buffer {
  if (!address.includes(':')) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => text.split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  const bytes = Buffer.alloc(16)
  for (const [index, group] of [...groups(head), ...zeros, ...groups(tail)].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2)
  }
  return bytes
}
