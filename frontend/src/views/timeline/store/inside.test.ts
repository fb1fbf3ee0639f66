/** What a report answers of its timeline, and what it says of the rest. */
import { expect, test } from 'vitest'

import { TWO_TRACKS } from '../../../../test/picture'
import { insideAnswers } from './inside'

const answer = insideAnswers({
  ask: () => Promise.resolve(Response.json({ result: TWO_TRACKS })), // nine events
  pictures: () => Promise.resolve([]),
})

test('an event that is in no picture may be in the profile; one beyond its last is in none, and that is said', async () => {
  expect(await answer('view/timeline/event', { row: 8 })).toBeUndefined()
  const refused = (await answer('view/timeline/event', { row: 9 })) as Response
  expect([refused.status, JSON.stringify(await refused.json())]).toEqual([
    404,
    expect.stringContaining('no event 9: the profile has 9 events'),
  ])
})
