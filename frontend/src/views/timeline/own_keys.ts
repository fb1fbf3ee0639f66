import type { Key } from '../face'

export const TIMELINE_KEYS: readonly Key[] = [
  [['W', 'S', 'Ctrl+wheel'], 'Zoom in and out, as the wheel over the time axis does'],
  [['A', 'D', '←', '→', 'Shift+wheel', 'Drag'], 'Move left and right'],
  [['Wheel'], 'Scroll the tracks'],
  [['F', 'Double click'], 'Zoom to the selection'],
  [['0'], 'Show everything'],
  [['B', 'Shift+drag'], 'Draw the stretch to zoom to, as a drag over the time axis does'],
  [['Drag over the strip'], 'Move or draw the window'],
  [['E', 'Alt+drag'], 'Draw an area to sum up by name'],
  ...keysOfServer([
    ['Click a call', 'once more', 'Enter'],
    'Zoom the flame graph to it; show its longest call in the timeline',
  ]),
  [['R'], 'Measure: drag from edge to edge; the stretch stays as a mark with its length'],
  [['Click'], 'Select an event; of a step its name, to zoom to it'],
  [['Pinch', 'Two fingers'], 'Zoom and move on a touch screen'],
  [['Drag a name'], 'Move a track or a group; a finger rests on it first'],
  [['Drag below a name'], 'Make a track taller or lower; what is right of its name pins, moves and hides it'],
  [['Tab', '←', '→', '↑', '↓'], 'Into the tools, or the names of tracks, and from one to the next'],
  [['M'], 'Mark the selection, or take its mark away'],
  [['.', ','], 'Next and previous event; at first the first one in sight'],
  [['[', ']'], 'Follow an arrow back and forth, with both ends in sight'],
  [['Right click', 'Shift+F10'], 'What else can be done with an event, a track, a call of the flame graph'],
  [['Enter', 'Shift+Enter'], 'Next and previous search result'],
]

/** What a report has nothing for. */
function keysOfServer(key: Key): readonly Key[] {
  return IS_REPORT ? [] : [key]
}
