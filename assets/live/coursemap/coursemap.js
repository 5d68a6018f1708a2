// The map of the course: eras, lessons and topics as links.  A click stays in this session; every link can also be
// copied or opened in another tab.

import { element, isDark } from "../dom.js";
import { follow } from "../menu/go.js";

export function mount({ data, parentElement, setTriggerValue }) {
  const root = (parentElement.unrolledMap ??= parentElement.appendChild(element("div", "un un-map")));
  root.classList.toggle("un-dark", isDark(root));
  const link = ({ title, href }, name) => {
    const made = element("a", name, { href, textContent: title });
    made.onclick = (event) => follow(event, href, (to) => setTriggerValue("open", to));
    return made;
  };
  const parts = data.eras.flatMap((era) => [
    element("h3", "un-map-era", { textContent: era.title }),
    data.found ? results(era.topics, link) : lessons(era.lessons, link),
  ]);
  root.replaceChildren(element("p", "un-says", { textContent: data.says, role: "status" }), ...parts);
}

// What a search found: title, page, one sentence.
function results(topics, link) {
  const list = element("ul", "un-map-found");
  for (const topic of topics) {
    const row = element("li", "");
    row.append(
      link(topic, "un-map-name"),
      element("span", "un-map-page", { textContent: topic.page }),
      element("p", "", { textContent: topic.says }),
    );
    list.append(row);
  }
  return list;
}

// Every lesson with its topics.
function lessons(all, link) {
  const grid = element("div", "un-map-lessons");
  for (const lesson of all) {
    const card = element("section", "un-panel");
    const head = element("h4", "un-map-head");
    head.append(link(lesson, "un-map-name"), element("span", "un-map-count", { textContent: lesson.count }));
    const list = element("ul", "un-map-topics");
    for (const topic of lesson.topics) {
      const row = element("li", "");
      const made = link(topic, "");
      made.title = topic.says;
      row.append(made);
      list.append(row);
    }
    card.append(head, list);
    grid.append(card);
  }
  return grid;
}
