import { afterAll, beforeAll, beforeEach } from 'vitest'

interface Shared extends AsyncDisposable {
  startOver: () => Promise<unknown>
}

/** One setup for a file or `describe`, reset before each test. Its properties do not exist during test collection. */
export function setUpOnce<T extends Shared>(open: () => Promise<T>): T {
  const shared = {} as T
  beforeAll(async () => void Object.assign(shared, await open()))
  beforeEach(async () => void (await shared.startOver()))
  afterAll(() => shared[Symbol.asyncDispose]?.())
  return shared
}
