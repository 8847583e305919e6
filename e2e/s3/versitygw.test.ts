import { isFullRun } from '@tideport/testing/full-run'
import { expect, test } from 'vitest'
import { everyCaseOf, judge, readCaseList } from './support/case-list.ts'
import { newS3Account } from './support/s3-account.ts'
import { runVersitygwCases } from './support/versitygw-suite.ts'

const list = readCaseList('versitygw')

test("the claimed cases of versitygw's client suite pass", async () => {
  const names = isFullRun ? everyCaseOf(list) : list.claimed.filter((_, index) => index % 3 === 0)
  const selected = names.filter((name) => list.claimed.includes(name))
  judge(list, await runVersitygwCases(names, { newAccount: newS3Account }), selected)
})

test('no case is listed twice', () => {
  for (const name of ['versitygw', 's3-tests', 'rclone']) {
    const cases = everyCaseOf(readCaseList(name))
    expect(cases.filter((each, index) => cases.indexOf(each) !== index)).toEqual([])
  }
})
