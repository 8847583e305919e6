import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { writeWhole } from './write-whole.ts'

/** The network's clock. An epoch lasts a fixed time, unless `advance` shortens it. */
export interface Epochs {
  current(): number
  advance(count: number): Promise<void>
}

interface State {
  epoch: number
  startedAt: number
}

/** Continues from the stored state, plus the time since then. */
export async function openEpochs(dataDir: string, epochSeconds: number): Promise<Epochs> {
  const file = join(dataDir, 'epochs.json')
  const write = () => writeWhole(file, JSON.stringify(state))
  let state: State = await readFile(file, 'utf8').then(JSON.parse, () => ({ epoch: 1, startedAt: Date.now() }))
  await write()
  const lasted = () => Math.max(0, Math.floor((Date.now() - state.startedAt) / (epochSeconds * 1000)))
  return {
    current: () => state.epoch + lasted(),
    async advance(count) {
      state = { epoch: state.epoch + lasted() + count, startedAt: Date.now() }
      await write()
    },
  }
}
