import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** A program that a newcomer starts to store a first file. */
export interface Contender {
  name: string
  version: string
  attempt(place: Place): Promise<Attempt>
  /** Compressed bytes of the program and of everything that it installs. Called after an attempt. */
  downloadBytes(place: Place): Promise<number>
}

export interface Place {
  /** The folder of one attempt. Empty, except for `file`. */
  folder: string
  /** The first file. */
  file: string
  /** Has only the downloads of earlier attempts. */
  npmCache: string
}

export interface Attempt {
  /** A newcomer types these. The last one keeps running. */
  commands: Command[]
  /** Stores the file as soon as the server can, and returns the arguments with which curl reads it. */
  store(): Promise<string[]>
}

export interface Command {
  command: string
  args: string[]
  /** Default: the folder of the attempt. */
  cwd?: string
  env?: Record<string, string>
}

const POLL_MS = 50

/** Repeats the call until it succeeds. The caller limits the time. */
export async function untilItWorks<T>(call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call()
    } catch {
      await delay(POLL_MS)
    }
  }
}

export async function curl(...args: string[]): Promise<string> {
  return (await promisify(execFile)('curl', ['--silent', '--show-error', '--fail', '--max-time', '10', ...args])).stdout
}

/** A body of JSON for curl. */
export const json = (value: unknown): string[] => [
  '--header',
  'content-type: application/json',
  '--data',
  JSON.stringify(value),
]

export const gzippedBytes = async (path: string): Promise<number> =>
  (await promisify(gzip)(await readFile(path))).length
