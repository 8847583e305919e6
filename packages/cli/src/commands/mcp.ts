import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { addAbortSignal } from 'node:stream'
import { command } from '../grammar/command.ts'
import { linesIn } from '../local/lines-in.ts'
import { answerMessage } from '../mcp/answer-message.ts'
import { connect } from '../profile/connect.ts'
import { forEach } from '../terminal/for-each.ts'
import { version } from '../version.ts'

/** Maximum length in characters, which limits the memory for a message. */
const LINE_MAX = 16 * 1024 ** 2
const CALLS = 8

export const mcp = command({
  name: 'mcp',
  summary: 'Serve the Model Context Protocol on stdin and stdout',
  description:
    'Gives a language model tools to list vaults and files and to read text. With --allow, it can also upload files from that\n' +
    'folder only. No tool deletes anything.',
  options: {
    allow: { type: 'string', value: 'FOLDER', isPath: true, summary: 'Folder from which files may be uploaded' },
  },
  async run({ allow }, context) {
    const { output, signal, stdin } = context
    const allowed = allow === undefined ? null : resolve(allow)
    if (allowed !== null && !(await stat(allowed)).isDirectory()) throw new Error(`${allow} is not a folder`)
    const tooling = { client: await connect(context), allowed, signal }
    // An abort of a stream that is not read yet would be lost.
    signal.throwIfAborted()
    const text = addAbortSignal(signal, stdin).setEncoding('utf8') as AsyncIterable<string>
    const lines = linesIn(text, LINE_MAX, () => new Error('A message is longer than 16 MiB'))
    await forEach(
      lines,
      { limit: CALLS, signal, what: 'messages' },
      async (line) => {
        const answer = line.trim() === '' ? null : await answerMessage(line, tooling, version)
        if (answer) await output.text(JSON.stringify(answer))
      },
      async (_, error) => {
        throw error
      },
    )
  },
})
