import { readFileSync } from 'node:fs'

/** Cases of a pinned suite. The file has a section for each state: `[claimed]`, `[excluded: reason]`, `[not yet]`. */
export type CaseList = {
  /** Cases that must pass. */
  claimed: string[]
  /** Cases of what Tideport decided not to do. */
  excluded: { reason: string; names: string[] }[]
  notYet: string[]
}

export function readCaseList(name: string): CaseList {
  const list: CaseList = { claimed: [], excluded: [], notYet: [] }
  let section: string[] | undefined
  for (const line of readFileSync(new URL(`../lists/${name}.txt`, import.meta.url), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue
    if (line.startsWith('[')) section = sectionOf(list, line.slice(1, -1))
    else section?.push(line)
  }
  return list
}

function sectionOf(list: CaseList, title: string): string[] {
  if (title === 'claimed') return list.claimed
  if (title === 'not yet') return list.notYet
  const names: string[] = []
  list.excluded.push({ reason: title.replace(/^excluded: /, ''), names })
  return names
}

export const everyCaseOf = ({ claimed, excluded, notYet }: CaseList): string[] =>
  [claimed, ...excluded.map(({ names }) => names), notYet].flat()

export type Outcome = { hasPassed: boolean; output: string }

/** Throws if a claimed case failed or did not run. Prints cases that passed although the list does not claim them. */
export function judge({ claimed }: CaseList, outcomes: ReadonlyMap<string, Outcome>, selected = claimed): void {
  const passed = new Set([...outcomes].filter(([, { hasPassed }]) => hasPassed).map(([name]) => name))
  const unclaimed = [...passed].filter((name) => !claimed.includes(name))
  if (unclaimed.length > 0) console.log(`Passed without being claimed:\n${unclaimed.join('\n')}`)
  const broken = selected.filter((name) => !passed.has(name))
  if (broken.length === 0) return
  const shown = broken.map((name) => `${name}\n${outcomes.get(name)?.output.trim() ?? 'did not run'}`)
  throw new Error(`${broken.length} of ${selected.length} claimed cases failed:\n\n${shown.join('\n\n')}`)
}
