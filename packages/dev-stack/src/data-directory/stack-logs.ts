import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'

export type Logs = AsyncDisposable & {
  writer(name: string): (line: string) => void
}

export function openLogs(dir: string): Logs {
  const files: WriteStream[] = []
  return {
    writer(name) {
      const file = createWriteStream(join(dir, `${name}.log`), { flags: 'a', mode: 0o600 })
      file.on('error', () => {}) // a full disk loses log lines, but does not stop the stack
      files.push(file)
      return (line) => void (file.writable && file.write(`${line}\n`))
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(files.map((file) => new Promise((resolve) => file.end(resolve))))
    },
  }
}
