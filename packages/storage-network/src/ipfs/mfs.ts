import { objectsOf, unlikeKubo } from './answer.ts'
import { isAbsent } from './failure.ts'
import type { Call, Rpc } from './rpc.ts'

export interface Link {
  name: string
  cid: string
  /** Size of a raw block in bytes; 0 for other blocks. */
  rawBytes: number
}

/**
 * The mutable file system of a node; a path keeps all blocks below it. Writes wait for garbage collection, are durable,
 * and may be repeated. Reads resolve a directory and then its entries by CID, offline: MFS would query other nodes for
 * a missing block for a minute, and block the directory.
 */
export interface Mfs {
  /** The target of a path; null if it does not exist. */
  resolve(directory: string, name: string, signal: AbortSignal): Promise<string | null>
  /** Null: the directory does not exist. */
  list(directory: string, signal: AbortSignal): Promise<Link[] | null>
  /** Whether the node has every block below a path. The node reads all of them. */
  isWhole(path: string, sizeBytes: number, signal: AbortSignal): Promise<boolean>
  /** Makes a path point to the content of another path, replacing its own; false: the other path does not exist. */
  link(from: string, to: string, signal: AbortSignal): Promise<boolean>
  /** Does nothing if the path does not exist. */
  remove(path: string, signal: AbortSignal): Promise<void>
  makeDirectory(path: string, signal: AbortSignal): Promise<void>
}

const WALK_BYTES_PER_MS = 20_000

export function openMfs(rpc: Rpc, writeMs: number): Mfs {
  const ask = (command: string, args: string[], parameters: NonNullable<Call['parameters']>, signal: AbortSignal) =>
    orNull(rpc.ask({ command, args, parameters: { offline: true, ...parameters } }, signal))
  const write = async (
    command: string,
    args: string[],
    parameters: NonNullable<Call['parameters']>,
    signal: AbortSignal,
  ) => {
    const answer = await orNull(rpc.ask({ command, args, parameters }, signal, writeMs))
    // The response is short or empty, and a proxy could also return 200 with a page of its own.
    return answer && objectsOf(answer)
  }
  const find = async (directory: string, signal: AbortSignal) => {
    const answer = await ask('files/stat', [directory], {}, signal)
    return answer === null ? null : stringIn(objectsOf(answer)[0], 'Hash')
  }
  return {
    async resolve(directory, name, signal) {
      const parent = await find(directory, signal)
      const answer = parent === null ? null : await ask('dag/resolve', [`/ipfs/${parent}/${name}`], {}, signal)
      return answer === null ? null : stringIn(objectsOf(answer)[0]?.Cid, '/')
    },

    async list(directory, signal) {
      const found = await find(directory, signal)
      const parameters = { 'resolve-type': false, size: false, stream: true }
      const answer = found === null ? null : await ask('ls', [`/ipfs/${found}`], parameters, signal)
      return answer === null ? null : objectsOf(answer).flatMap(linksIn)
    },

    async isWhole(path, sizeBytes, signal) {
      const call = { command: 'files/stat', args: [path], parameters: { 'with-local': true } }
      const answer = await orNull(rpc.ask(call, signal, writeMs + sizeBytes / WALK_BYTES_PER_MS))
      return answer !== null && objectsOf(answer)[0]?.Local === true
    },

    link: async (from, to, signal) =>
      (await write('files/cp', [from, to], { parents: true, force: true, flush: true }, signal)) !== null,
    async remove(path, signal) {
      await write('files/rm', [path], { force: true }, signal)
      // Without a flush, a node that is killed within seconds loses the change.
      await write('files/flush', [path.slice(0, path.lastIndexOf('/'))], {}, signal)
    },
    async makeDirectory(path, signal) {
      await write('files/mkdir', [path], { parents: true, flush: true }, signal)
    },
  }
}

function linksIn({ Objects }: Record<string, unknown>): Link[] {
  const links = (Objects as { Links?: unknown }[] | undefined)?.[0]?.Links
  if (!Array.isArray(links)) throw unlikeKubo()
  return links.map((link) => {
    return { name: stringIn(link, 'Name'), cid: stringIn(link, 'Hash'), rawBytes: Number(link.Size) }
  })
}

function stringIn(object: unknown, field: string): string {
  const value = (object as Record<string, unknown> | undefined)?.[field]
  if (typeof value !== 'string') throw unlikeKubo()
  return value
}

async function orNull<T>(call: Promise<T>): Promise<T | null> {
  try {
    return await call
  } catch (error) {
    if (isAbsent(error)) return null
    throw error
  }
}
