import { type CaseList, everyCaseOf, readCaseList } from '../../e2e/s3/support/case-list.ts'

const suites = [
  {
    name: 'versitygw',
    title: 'versitygw',
    about: 'The client suite of [versitygw](https://github.com/versity/versitygw) 1.8.0: `versitygw test NAME`, each case with an account of its own. `npm test` runs a third of the claimed cases, CI all.', // biome-ignore format: one sentence a line
    groupOf: (name: string) => name.split('_')[0] ?? '',
  },
  {
    name: 's3-tests',
    title: 'ceph/s3-tests',
    about: '`test_s3.py` of [ceph/s3-tests](https://github.com/ceph/s3-tests) at revision 8f0ae7b.',
    groupOf: (name: string) => name.split('_').slice(1, 3).join(' '),
  },
  {
    name: 'rclone',
    title: 'rclone',
    about:
      "rclone v1.76.0's backend test, `go test ./backend/s3 -remote`, with path-style addresses as the only setting.",
    groupOf: (name: string) => name.split('/').slice(0, 2).join('/'),
  },
]

/** The page of tested S3 cases, from the lists in `e2e/s3/lists`. */
export function s3SuitesPage(): string {
  const sections = suites.map(({ name, title, about, groupOf }) => {
    const list = readCaseList(name)
    const link = `[\`${name}.txt\`](../../e2e/s3/lists/${name}.txt)`
    return `## ${title}\n\n${about} ${countsOf(list)} ${link} names each.\n${excludedOf(list)}${notYetOf(list, groupOf)}`
  })
  return `---
title: S3 suites
description: Published S3 test suites, and which of their cases Tideport claims, excludes, or does not pass yet.
---

Tideport runs published suites against its S3 API, at pinned versions. A claimed case that fails fails the build. The lists in \`e2e/s3/lists\` are the source of this page.

${sections.join('\n')}`
}

const countsOf = (list: CaseList) => `${list.claimed.length} of ${everyCaseOf(list).length} cases are claimed.`

function excludedOf({ excluded }: CaseList): string {
  if (excluded.length === 0) return ''
  const rows = excluded.map(({ reason, names }) => `| ${reason} | ${names.length} |\n`).join('')
  return `\n| Excluded, because | Cases |\n|---|---|\n${rows}`
}

function notYetOf({ notYet }: CaseList, groupOf: (name: string) => string): string {
  if (notYet.length === 0) return ''
  const groups = Map.groupBy(notYet, groupOf)
  const rows = [...groups].map(([group, names]) => `| ${group} | ${names.length} |\n`).join('')
  return `\n| Not yet | ${notYet.length} |\n|---|---|\n${rows}`
}
