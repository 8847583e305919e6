import { chmod, mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'

export type DataLayout = {
  root: string
  lock: string
  stackFile: string
  secrets: string
  /** Which data was moved to servers of the operator (`moved-out.ts`). */
  movedOut: string
  logs: string
  /** One process record (`process-record.ts`) per running service process. */
  pids: string
  postgres: string
  nats: string
  s3: string
  network: string
  /** One directory for each additional network. */
  networks: string
}

/** `dir` must be absolute. */
export function dataLayout(dir: string): DataLayout {
  return {
    root: dir,
    lock: join(dir, 'lock'),
    stackFile: join(dir, 'stack.json'),
    secrets: join(dir, 'secrets.json'),
    movedOut: join(dir, 'moved-out.json'),
    logs: join(dir, 'logs'),
    pids: join(dir, 'pids'),
    postgres: join(dir, 'postgres'),
    nats: join(dir, 'nats'),
    s3: join(dir, 's3'),
    network: join(dir, 'network'),
    networks: join(dir, 'networks'),
  }
}

/** Creates the directory with mode 0711: the user of Postgres can pass through, and other users cannot list it. */
export async function makeRoot({ root }: DataLayout): Promise<void> {
  const isNew = (await mkdir(root, { recursive: true, mode: 0o711 })) !== undefined
  if (isNew || (await readdir(root)).length === 0) await chmod(root, 0o711)
}

export async function makeSubdirectories({ logs, pids }: DataLayout): Promise<void> {
  for (const dir of [logs, pids]) await mkdir(dir, { recursive: true, mode: 0o700 })
}
