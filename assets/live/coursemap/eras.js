// The lessons of the course, era by era.

/** @typedef {{href: string, title: string, era: string, question: string, minutes: number, before: string[]}} Lesson */

/** @param {Lesson[]} lessons in the order of the course @returns {Map<string, Lesson[]>} */
export function byEra(lessons) {
  const eras = new Map();
  for (const lesson of lessons) eras.set(lesson.era, [...(eras.get(lesson.era) ?? []), lesson]);
  return eras;
}
