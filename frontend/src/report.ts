/** The page in one file (`tb-plugin report`): the answers stand in the document, and nothing is ever asked of a server. */
import { paintTheme } from './base/theme'
import { carriedIn } from './data/carried'
import { answerFrom } from './data/request'
import { start } from './app/start'
import { insideAnswers } from './views/timeline/store/inside'

async function open(): Promise<void> {
  paintTheme()
  const text = document.getElementById('tb-plugin-answers')?.textContent ?? '[]'
  answerFrom(await carriedIn(JSON.parse(text) as string[], insideAnswers))
  start(document)
}

void open()
