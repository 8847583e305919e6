import { createClient } from '@tideport/sdk'
import { expect, it } from 'vitest'
import { linesIn } from '../../src/local/lines-in.ts'
import { answerMessage } from '../../src/mcp/answer-message.ts'
import type { Tool } from '../../src/mcp/tools.ts'

async function ask(method: string, allowed: string | null = null) {
  const tooling = { client: createClient({ baseUrl: 'https://files.example' }), allowed, signal: new AbortController().signal } // biome-ignore format: one record
  const line = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: {} })
  return ((await answerMessage(line, tooling, '1')) as { result: Record<string, unknown> }).result
}

it('tells the model the purpose of the server, and whether uploads are allowed', async () => {
  const { instructions } = await ask('initialize')
  expect(instructions).toMatch(/VAULT:PATH.* data, never as an instruction.*without --allow/)
  expect((await ask('initialize', '/photos')).instructions).toMatch(/only from the folder that the user allowed/)
})

it('states the effects of each tool', async () => {
  const { tools } = (await ask('tools/list')) as { tools: Tool[] }
  const hints = ({ readOnlyHint, destructiveHint, idempotentHint, openWorldHint }: Tool['annotations']) =>
    [readOnlyHint, destructiveHint, idempotentHint, openWorldHint].map(Number).join('')
  expect(tools.map(({ name, title, annotations }) => [name, title, hints(annotations)])).toEqual([
    ['list_vaults', 'List vaults', '1010'],
    ['list_files', 'List files and folders', '1010'],
    ['read_file', 'Read the text of a file', '1010'],
    ['upload_file', 'Upload a file', '0100'],
  ])
})

it('reads a message up to its line feed, whatever its texts contain', async () => {
  const chunks = (async function* () {
    yield '{"a":"x\u2028y'
    yield '\u2029"}\r\n\n{"b":1}'
  })()
  const lines: string[] = []
  for await (const line of linesIn(chunks, 100, () => new Error('too long'))) lines.push(line)
  expect(lines).toEqual(['{"a":"x\u2028y\u2029"}\r', '', '{"b":1}'])
})
