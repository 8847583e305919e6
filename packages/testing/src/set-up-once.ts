import { afterAll, beforeAll, beforeEach } from 'vitest'

interface Shared extends AsyncDisposable {
  /** Removes everything that tests wrote. */
  startOver: () => Promise<unknown>
}

/**
 * One setup for all tests of the calling file or `describe`: it starts over before each of them. Tests and hooks may
 * read its properties, but code that runs while the file is collected may not.
 */
export function setUpOnce<T extends Shared>(open: () => Promise<T>): T {
  const shared = {} as T
  beforeAll(async () => void Object.assign(shared, await open()))
  beforeEach(async () => void (await shared.startOver()))
  afterAll(() => shared[Symbol.asyncDispose]?.())
  return shared
}
