import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type Answer, decode, encode } from 'dns-packet'

export interface DnsQuestion {
  /** As in the request, without the trailing dot; empty for the root. */
  name: string
  type: 'A' | 'AAAA' | 'NS' | 'other'
}

/** IP addresses (a response contains only the requested family), an alias with its addresses, or a failure. */
export type DnsAnswer =
  | string[]
  | { cname: string; addresses: string[] }
  | 'nxdomain'
  | 'servfail'
  | 'refused'
  | 'silent'

const RESPONSE_CODES = { servfail: 2, nxdomain: 3, refused: 5 }
const RECURSION_AVAILABLE = 0x80

/** A DNS server on a loopback port that records questions. Answers NS questions with a root server. */
export async function startDnsServer(answerTo: (question: DnsQuestion) => DnsAnswer) {
  const questions: DnsQuestion[] = []
  let answer = answerTo
  const socket = createSocket('udp4', (message, { port, address }) => {
    const { id, questions: [asked] = [] } = decode(message)
    if (asked === undefined) return
    const question = { name: asked.name === '.' ? '' : asked.name, type: typeOf(asked.type) }
    questions.push(question)
    const given = answer(question)
    if (given === 'silent') return
    const flags = RECURSION_AVAILABLE | (typeof given === 'string' ? RESPONSE_CODES[given] : 0)
    const answers = typeof given === 'string' ? [] : answersTo(question, given)
    socket.send(
      encode({ type: 'response', ...(id !== undefined && { id }), flags, questions: [asked], answers }),
      port,
      address,
    )
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address() as AddressInfo
  return {
    address: `127.0.0.1:${port}`,
    questions: questions as readonly DnsQuestion[],
    respondWith(next: (question: DnsQuestion) => DnsAnswer) {
      answer = next
    },
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

/** Reserves a UDP port that rejects packets. A free port could be assigned to the client, which then queries itself. */
export async function holdUnansweredPort() {
  const socket = createSocket('udp4')
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  const { port } = socket.address()
  // A socket that is connected to itself rejects packets of other sockets.
  socket.connect(port, '127.0.0.1')
  await once(socket, 'connect')
  return {
    address: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      socket.close()
    },
  }
}

function typeOf(type: string): DnsQuestion['type'] {
  return type === 'A' || type === 'AAAA' || type === 'NS' ? type : 'other'
}

function answersTo({ name, type }: DnsQuestion, answer: Exclude<DnsAnswer, string>): Answer[] {
  if (type === 'NS') return [{ type, name, data: 'a.root-servers.net' }]
  const { cname, addresses } = Array.isArray(answer) ? { cname: name, addresses: answer } : answer
  const found = addresses.filter((address) => address.includes(':') === (type === 'AAAA'))
  return [
    ...(cname === name ? [] : [{ type: 'CNAME', name, data: cname } as const]),
    ...found.map((data) => ({ type: type === 'AAAA' ? 'AAAA' : 'A', name: cname, data }) as const),
  ]
}
