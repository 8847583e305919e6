import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: root, encoding: 'utf8' }).trim().split('\n')

it('has every page but the home page and the decisions in the sidebar', () => {
  const sidebar = readFileSync(join(root, 'tools/docs-site/astro.config.ts'), 'utf8')
  const listed = pages.filter((page) => page.startsWith('docs/') && !/^docs\/(adr\/|index\.md)/.test(page))
  expect(listed.filter((page) => !new RegExp(`['/]${basename(page, '.md')}'`).test(sidebar))).toEqual([])
})

/** The build of the site checks links between its pages, and their anchors. */
it('has no relative link to a missing file', () => {
  const broken = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[\s\S]*?```/g, '')
    return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)]
      .filter(([, target = '']) => !existsSync(join(root, dirname(page), target)))
      .map(([, target]) => `${page}: ${target}`)
  })
  expect(broken).toEqual([])
})
