// What is looked at is part of the address: #model=…&exporter=…&status=wrong,failed&text=…

const address = {
  read() {
    const said = new URLSearchParams(location.hash.slice(1));
    const list = (name) => (said.get(name) || "").split(",").filter(Boolean);
    return {
      model: said.get("model") || "",
      exporter: said.get("exporter") || "",
      text: said.get("text") || "",
      status: list("status"),
      columns: list("columns"),
      change: list("change"),
    };
  },

  write(changes, keep = false) {
    const all = { ...address.read(), ...changes };
    const said = new URLSearchParams();
    for (const [name, value] of Object.entries(all)) {
      const text = Array.isArray(value) ? value.join(",") : value;
      if (text) said.set(name, text);
    }
    const hash = `#${said}`;
    if (hash === location.hash || (hash === "#" && !location.hash)) return;
    if (keep) history.replaceState(null, "", hash);
    else history.pushState(null, "", hash);
    dispatchEvent(new Event("looked"));
  },
};
