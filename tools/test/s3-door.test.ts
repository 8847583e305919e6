import { globSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

const root = new URL('../../', import.meta.url).pathname
const files = (pattern: string) => globSync(pattern, { cwd: root }).map((path) => [path, read(path)] as const)
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8')

/** The S3 API is one more way to call the same use cases: adding one changes nothing below them. */
describe('the S3 door', () => {
  it('is unknown to the code that owns the life cycle of files', () => {
    const all = files('packages/file-lifecycle/{src,migrations}/**/*.{ts,sql}')
    expect(all.length).toBeGreaterThan(50)
    const naming = all.filter(([, text]) => /door|@tideport\/(?:gateway|files)/i.test(withoutComments(text)))
    expect(naming.map(([path]) => path)).toEqual([])
  })

  it('imports no package, and reaches no database', () => {
    const all = files('packages/s3-door/src/**/*.ts')
    expect(all.length).toBeGreaterThan(20)
    const imported = all.flatMap(([, text]) => Array.from(text.matchAll(/from '([^']+)'/g), ([, name = '']) => name))
    expect(imported.filter((name) => !/^(?:\.\.?\/|node:)/.test(name))).toEqual([])
    expect(JSON.parse(read('packages/s3-door/package.json'))).not.toHaveProperty('dependencies')
  })

  it('reaches files only by HTTP, as every other part of the gateway does', () => {
    const text = files('services/gateway/src/s3/**/*.ts').map(([, content]) => content)
    expect(text.join('\n')).not.toMatch(/kysely|'pg'|@tideport\/(?:file-lifecycle|hot-tier|files)\b/)
  })
})

const withoutComments = (text: string) => text.replace(/\/\*.*?\*\/|\/\/.*?$|--.*?$/gms, '')
