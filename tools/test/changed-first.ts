import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** First runs the test files that import a file with uncommitted changes, including untracked files. */
export class ChangedFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const all = await super.sort(files)
    this.ctx.config.related = changedFiles()
    const touched = new Set((await this.ctx.getRelevantTestSpecifications()).map(({ moduleId }) => moduleId))
    const isTouched = ({ moduleId }: TestSpecification) => touched.has(moduleId)
    return [...all.filter(isTouched), ...all.filter((file) => !isTouched(file))]
  }
}

function changedFiles(): string[] {
  const options = { encoding: 'utf8' } as const
  const root = execFileSync('git', ['rev-parse', '--show-toplevel'], options).trim()
  const lines = execFileSync('git', ['status', '--porcelain', '--untracked-files', '-z', '--no-renames'], options)
  return lines.split('\0').flatMap((line) => (line === '' ? [] : resolve(root, line.slice(3))))
}
