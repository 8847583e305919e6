import { reportOf } from '../terminal/failures.ts'
import { instructionsFor, type Tooling, tools } from './tools.ts'

/** Newest first. A client that requests an unknown version gets the first. */
const versions = ['2025-06-18', '2025-03-26', '2024-11-05']

interface Message {
  id: string | number | null
  method: string
  params: Record<string, unknown>
}

const faults = { parse: -32_700, request: -32_600, method: -32_601, params: -32_602 } as const

/** The response to a JSON-RPC line; null for a notification. Throws only the signal's reason. */
export async function answerMessage(line: string, tooling: Tooling, version: string): Promise<object | null> {
  const read = readMessage(line)
  if ('fault' in read) return failure(null, read.fault, 'The message is not a JSON-RPC request')
  const { id, method, params } = read
  if (id === null) return null
  if (method === 'initialize') {
    const asked = params.protocolVersion
    const protocolVersion = versions.find((one) => one === asked) ?? versions[0]
    return success(id, {
      protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: 'tideport', title: 'Tideport', version },
      instructions: instructionsFor(tooling),
    })
  }
  if (method === 'ping') return success(id, {})
  if (method === 'tools/list') return success(id, { tools: tools.map(({ run: _, ...tool }) => tool) })
  if (method === 'tools/call') return await callTool(id, params, tooling)
  return failure(id, faults.method, `Unknown method ${JSON.stringify(method)}`)
}

async function callTool(id: Message['id'], { name, arguments: input = {} }: Message['params'], tooling: Tooling) {
  const tool = tools.find((one) => one.name === name)
  if (!tool || typeof input !== 'object' || input === null) return failure(id, faults.params, 'Unknown tool')
  try {
    const answer = await tool.run(input as Record<string, unknown>, tooling)
    const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
    return success(id, { content: [{ type: 'text', text }] })
  } catch (error) {
    tooling.signal.throwIfAborted()
    return success(id, { content: [{ type: 'text', text: reportOf(error).error }], isError: true })
  }
}

function readMessage(line: string): Message | { fault: number } {
  try {
    const message = JSON.parse(line) as Partial<Message>
    if (typeof message?.method !== 'string') return { fault: faults.request }
    return { id: message.id ?? null, method: message.method, params: { ...message.params } }
  } catch {
    return { fault: faults.parse }
  }
}

const success = (id: Message['id'], result: object) => ({ jsonrpc: '2.0', id, result })
const failure = (id: Message['id'], code: number, message: string) => ({ jsonrpc: '2.0', id, error: { code, message } })
