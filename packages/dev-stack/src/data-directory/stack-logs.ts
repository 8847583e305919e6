import { createWriteStream, type WriteStream } from 'node:fs'
import { join } from 'node:path'

export type Logs = AsyncDisposable & {
  writer(name: string): (line: string) => void
}

export function openLogs(dir: string): Logs {
  const files = new Set<WriteStream>()
  function open(name: string): WriteStream {
    const file = createWriteStream(join(dir, `${name}.log`), { flags: 'a', mode: 0o600 })
    file.on('error', () => files.delete(file)) // a full disk loses log lines, but does not stop the stack
    files.add(file)
    return file
  }
  return {
    writer(name) {
      let file = open(name)
      return (line) => {
        // The disk may have space again.
        if (file.errored) file = open(name)
        if (file.writable) file.write(`${line}\n`)
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([...files].map((file) => new Promise((resolve) => file.end(resolve))))
    },
  }
}
