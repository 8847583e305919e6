import { globSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const pages = ['*.md', 'docs/**/*.md', 'packages/{cli,sdk}/README.md']
  .flatMap((pattern) => globSync(pattern, { cwd: root }))
  .toSorted()

export type DocExample = {
  /** Page, language, and number among the page's blocks of that language, for example `README.md sh 2`. */
  name: string
  language: string
  code: string
}

/** Ends the test of an example whose requirements are missing. */
export type Skip = (note: string) => never

export type RunExample = (example: DocExample, skip: Skip) => Promise<void> | void

/** Languages of blocks that cannot be run. */
const pictures = ['text', 'mermaid']

/** All fenced blocks of all pages, except pictures. */
export function readExamples(): DocExample[] {
  return pages.flatMap((page) => {
    const blocks = readFileSync(new URL(page, root), 'utf8').matchAll(/^( *)```(\S*)[^\n]*\n(.*?)^\1```$/gms)
    const counts = new Map<string, number>()
    return [...blocks].flatMap(([, , language = '', code = '']) => {
      const place = (counts.get(language) ?? 0) + 1
      counts.set(language, place)
      return pictures.includes(language) ? [] : [{ name: `${page} ${language} ${place}`, language, code }]
    })
  })
}

export function exampleOf(name: string): string {
  const example = readExamples().find((candidate) => candidate.name === name)
  if (!example) throw new Error(`No page has the example ${name}`)
  return example.code
}

export const examplesOf = (page: string, places: readonly number[]): string[] =>
  places.map((place) => exampleOf(`${page} ${place}`))
